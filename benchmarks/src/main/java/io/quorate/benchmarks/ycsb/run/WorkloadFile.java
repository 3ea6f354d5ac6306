package io.quorate.benchmarks.ycsb.run;

import io.quorate.benchmarks.ycsb.QuorateBinding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A workload of YCSB.
 *
 * @param name in reports: the name of a workload of this module, or that of the file
 * @param properties as in the file
 */
record WorkloadFile(String name, Map<String, String> properties) {
  /** The names of the workloads of this module, for help and messages. */
  static final String NAMES = "a to f, w10 to w90, s0 to s50, delete0 to delete100";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*");
  private static final String RESOURCES = "workloads/";

  WorkloadFile {
    properties = Map.copyOf(properties);
  }

  /**
   * Reads a workload of this module, in upper or lower case, or a file.
   *
   * @param text a name, or the path of a file; {@code ./a} for a file that has such a name
   * @return empty if there is neither
   * @throws IOException if the file cannot be read
   */
  static Optional<WorkloadFile> read(String text) throws IOException {
    String name = text.toLowerCase(Locale.ROOT);
    if (NAME.matcher(name).matches()) {
      try (InputStream resource = QuorateBinding.class.getResourceAsStream(RESOURCES + name)) {
        if (resource != null) {
          return Optional.of(new WorkloadFile(name, load(resource)));
        }
      }
    }
    Path file = Path.of(text);
    if (!Files.exists(file) || Files.isDirectory(file)) {
      return Optional.empty();
    }
    try (InputStream bytes = Files.newInputStream(file)) {
      return Optional.of(new WorkloadFile(file.getFileName().toString(), load(bytes)));
    } catch (IllegalArgumentException e) {
      throw new IOException(text + ": it is no file of properties", e);
    }
  }

  private static Map<String, String> load(InputStream bytes) throws IOException {
    Properties properties = new Properties();
    properties.load(bytes);
    return properties.stringPropertyNames().stream()
        .collect(Collectors.toMap(name -> name, properties::getProperty));
  }

  /** This workload with other values for some properties. */
  WorkloadFile with(Map<String, String> changes) {
    Map<String, String> changed = new TreeMap<>(properties);
    changed.putAll(changes);
    return new WorkloadFile(name, changed);
  }

  Optional<String> property(String key) {
    return Optional.ofNullable(properties.get(key)).map(String::strip);
  }
}

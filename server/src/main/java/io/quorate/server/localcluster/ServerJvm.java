package io.quorate.server.localcluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.quorate.server.config.Preset;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Builds the command line of a server process. Without side effects, except that it looks for
 * programs of the system and reads the configuration of the node.
 */
final class ServerJvm {
  /** The JVM flags of every server; the launcher script reads the same file. */
  static final String FLAGS_RESOURCE = "/io/quorate/server/server.jvm";

  /** Environment variable with further JVM flags, separated by blanks. */
  static final String EXTRA_FLAGS = "QUORATE_JAVA_OPTS";

  // By name, because the program depends on this package.
  static final String MAIN = "io.quorate.server.Main";
  static final String MAIN_OF_CHILD = "io.quorate.server.NodeMain";

  /** Has the instructions that encode large values several times as fast as tables. */
  private static final String VECTOR_MODULE = "jdk.incubator.vector";

  private static final String REPLICATION = "replication";

  private static final int FIRST_JDK_WITH_UNSAFE_WARNING = 23;
  private static final int FIRST_JDK_WITH_NATIVE_ACCESS_WARNING = 24;

  /** They are created in one run of the program, and contain profiles of methods. */
  private static final int FIRST_JDK_WITH_AOT_CACHES = 25;

  private ServerJvm() {}

  /** Whether a node ends with the process that started it. */
  enum Lifetime {
    /** It stops when its standard input ends. */
    OF_PARENT,
    /** It keeps running, also when the terminal is closed. */
    DETACHED
  }

  /**
   * The command line of one node, with the class path of this process.
   *
   * @param launch a prefix, and additional JVM flags and settings; its environment is not used here
   */
  static List<String> command(NodePlan node, Lifetime lifetime, Launch launch) {
    List<String> command = new ArrayList<>();
    if (lifetime == Lifetime.DETACHED) {
      command.add(detacher());
    }
    command.addAll(launch.prefix());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    int feature = Runtime.version().feature();
    command.addAll(flags(feature));
    Optional<String> archive = archiveFlag(classPath(), feature);
    archive.ifPresent(command::add);
    // A cache that was created without the module is refused, and more is lost than gained.
    boolean isCached = archive.isPresent() && feature >= FIRST_JDK_WITH_AOT_CACHES;
    if (!isCached && isCoded(node, launch)) {
      vectorFlag().ifPresent(command::add);
    }
    command.add("-Djava.io.tmpdir=" + node.scratchDirectory());
    command.addAll(launch.jvmFlags());
    String extra = Optional.ofNullable(System.getenv(EXTRA_FLAGS)).orElse("").strip();
    if (!extra.isEmpty()) {
      command.addAll(List.of(extra.split("\\s+")));
    }
    command.add("-cp");
    command.add(classPath());
    command.add(lifetime == Lifetime.OF_PARENT ? MAIN_OF_CHILD : MAIN);
    command.addAll(List.of("server", "--config", node.configFile().toString()));
    new TreeMap<>(launch.settings())
        .forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
    return command;
  }

  /** Whether a node codes large values. Reads its configuration file, if that exists yet. */
  private static boolean isCoded(NodePlan node, Launch launch) {
    Config file = ConfigFactory.parseFile(node.configFile().toFile());
    String key = "quorate.preset";
    String ofFile = file.hasPath(key) ? file.getString(key) : Shape.DEFAULT.preset();
    Optional<String> ofPreset =
        Preset.named(launch.settings().getOrDefault("preset", ofFile))
            .map(preset -> preset.mode().texts().get(REPLICATION));
    return Optional.ofNullable(launch.settings().get(REPLICATION))
        .or(() -> ofPreset)
        .equals(Optional.of("coded"));
  }

  /** The flag that adds the vector instructions; empty if this JDK, as a small one, lacks them. */
  private static Optional<String> vectorFlag() {
    return ModuleFinder.ofSystem()
        .find(VECTOR_MODULE)
        .map(found -> "--add-modules=" + VECTOR_MODULE);
  }

  /** The JVM flags for a JDK of this feature release. */
  static List<String> flags(int feature) {
    List<String> flags = new ArrayList<>();
    // Earlier JDKs do not need it, and a JVM with this flag starts without its archived modules.
    if (feature >= FIRST_JDK_WITH_NATIVE_ACCESS_WARNING) {
      flags.add("--enable-native-access=ALL-UNNAMED");
    }
    if (feature >= FIRST_JDK_WITH_UNSAFE_WARNING) {
      flags.add("--sun-misc-unsafe-memory-access=allow");
    }
    try (InputStream resource = ServerJvm.class.getResourceAsStream(FLAGS_RESOURCE)) {
      new String(resource.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .forEach(flags::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return flags;
  }

  /**
   * The flag that uses the archive which the launcher creates beside the jar, if this program is
   * that jar and the archive exists: an AOT cache where the JDK supports one, otherwise an archive
   * of classes.
   */
  static Optional<String> archiveFlag(String classPath, int feature) {
    String jar = ".jar";
    if (!classPath.endsWith(jar) || classPath.contains(File.pathSeparator)) {
      return Optional.empty();
    }
    boolean isCache = feature >= FIRST_JDK_WITH_AOT_CACHES;
    String name = classPath.substring(0, classPath.length() - jar.length()) + "-" + feature;
    Path archive = Path.of(name + (isCache ? ".aot" : ".jsa"));
    try {
      // An empty file means that the archive could not be created.
      return Files.size(archive) > 0
          ? Optional.of((isCache ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + archive)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * The class path of this process with absolute paths, because a node runs in its own directory.
   */
  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /**
   * The program that detaches a process from the terminal's signals by a new session, or {@code
   * nohup} on a system without it.
   */
  private static String detacher() {
    return List.of("/usr/bin/setsid", "/bin/setsid").stream()
        .filter(program -> Files.isExecutable(Path.of(program)))
        .findFirst()
        .orElse("nohup");
  }
}

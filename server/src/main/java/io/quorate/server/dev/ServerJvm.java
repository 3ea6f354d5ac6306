package io.quorate.server.dev;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How the JVM of a server process is started. Pure but for finding programs of the system. */
final class ServerJvm {
  /** The flags every server runs with; the launcher script reads the same file. */
  static final String FLAGS_RESOURCE = "/io/quorate/server/server.jvm";

  /** Environment variable with further JVM flags, separated by blanks. */
  static final String EXTRA_FLAGS = "QUORATE_JAVA_OPTS";

  private static final int FIRST_JDK_THAT_ASKS_ABOUT_UNSAFE = 23;
  private static final int FIRST_JDK_THAT_ASKS_ABOUT_NATIVE_ACCESS = 24;

  /** Made in one run of the program, with profiles of methods. */
  private static final int FIRST_JDK_WITH_AOT_CACHES = 25;

  private ServerJvm() {}

  /** Whether a node ends with the process that started it. */
  enum Lifetime {
    /** It stops when its standard input ends. */
    OF_PARENT,
    /** It lives on, also when the terminal goes away. */
    DETACHED
  }

  /**
   * The command line of one node; its class path is the one of this process.
   *
   * @param launch what it has beyond other servers, except for its environment
   */
  static List<String> command(NodePlan node, Lifetime lifetime, Launch launch) {
    List<String> command = new ArrayList<>();
    if (lifetime == Lifetime.DETACHED) {
      command.add(detacher());
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags(Runtime.version().feature()));
    archiveFlag(classPath(), Runtime.version().feature()).ifPresent(command::add);
    command.add("-Djava.io.tmpdir=" + node.scratchDirectory());
    String extra = Optional.ofNullable(System.getenv(EXTRA_FLAGS)).orElse("").strip();
    if (!extra.isEmpty()) {
      command.addAll(List.of(extra.split("\\s+")));
    }
    command.addAll(launch.jvmFlags());
    command.add("-cp");
    command.add(classPath());
    command.add(
        lifetime == Lifetime.OF_PARENT ? NodeMain.class.getName() : "io.quorate.server.Main");
    command.addAll(List.of("server", "--config", node.configFile().toString()));
    new TreeMap<>(launch.settings())
        .forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
    return command;
  }

  /** The JVM flags for a JDK of this feature release. */
  static List<String> flags(int feature) {
    List<String> flags = new ArrayList<>();
    // Before, nothing asks for it, and a JVM with this flag starts without its archived modules.
    if (feature >= FIRST_JDK_THAT_ASKS_ABOUT_NATIVE_ACCESS) {
      flags.add("--enable-native-access=ALL-UNNAMED");
    }
    if (feature >= FIRST_JDK_THAT_ASKS_ABOUT_UNSAFE) {
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
   * The flag that uses the archive which the launcher makes beside the jar, if this program is that
   * jar and the archive exists: an AOT cache where the JDK has one, otherwise an archive of classes.
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
      // An empty one stands for one that could not be made.
      return Files.size(archive) > 0
          ? Optional.of((isCache ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + archive)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The class path of this process; a node runs in a directory of its own. */
  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** A new session takes a process out of reach of the terminal's signals; not every system can. */
  private static String detacher() {
    return List.of("/usr/bin/setsid", "/bin/setsid").stream()
        .filter(program -> Files.isExecutable(Path.of(program)))
        .findFirst()
        .orElse("nohup");
  }
}

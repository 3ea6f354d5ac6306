package io.quorate.server.localcluster;

import io.quorate.common.Failpoint;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Halts the process of a node at a failpoint, like a crash: the agent of a JVM in which this class
 * is on the class path. The node halts at a failpoint if a directory has a file with its name; the
 * file is deleted, so that of several nodes with the same directory only the first one halts, and
 * only once.
 */
public final class HaltAgent {
  private static final int EXIT = 137;

  private HaltAgent() {}

  /**
   * Called by the JVM before the main class.
   *
   * @param arguments the directory and the names of failpoints, separated by commas
   */
  public static void premain(String arguments) {
    List<String> all = List.of(arguments.split(","));
    Path armed = Path.of(all.get(0));
    for (String name : all.subList(1, all.size())) {
      Failpoint.named(name)
          .on(
              (failpoint, subject) -> {
                if (Files.deleteIfExists(armed.resolve(name))) {
                  System.err.println("Halts at " + name);
                  Runtime.getRuntime().halt(EXIT);
                }
              });
    }
  }

  /** Creates the file that {@link #flag} needs. */
  static void create(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", HaltAgent.class.getName());
    try (OutputStream file = Files.newOutputStream(jar)) {
      new JarOutputStream(file, manifest).close();
    }
  }

  /**
   * The JVM flag for this agent.
   *
   * @param directory has a file for each failpoint at which the node is to halt
   * @param failpoints the names of those at which it may halt
   */
  static String flag(Path jar, Path directory, List<String> failpoints) {
    return "-javaagent:" + jar + "=" + directory + "," + String.join(",", failpoints);
  }
}

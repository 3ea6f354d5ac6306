package io.quorate.server.localcluster;

import java.util.List;
import java.util.Map;

/**
 * Additions to the JVM flags, environment and settings of the process of a node. Tests use it to
 * intercept the access of a node to its machine, measurements to compare settings.
 *
 * @param jvmFlags flags before the class path, one argument each
 * @param environment variables that are added to those of this process
 * @param settings configuration keys to override, such as {@code cluster.replicas}
 */
public record Launch(
    List<String> jvmFlags, Map<String, String> environment, Map<String, String> settings) {
  /** No additions. */
  public static final Launch PLAIN = new Launch(List.of(), Map.of());

  /** Additions without overridden settings. */
  public Launch(List<String> jvmFlags, Map<String, String> environment) {
    this(jvmFlags, environment, Map.of());
  }

  /** Overridden settings as the only addition. */
  public static Launch with(Map<String, String> settings) {
    return new Launch(List.of(), Map.of(), settings);
  }

  public Launch {
    jvmFlags = List.copyOf(jvmFlags);
    environment = Map.copyOf(environment);
    settings = Map.copyOf(settings);
  }
}

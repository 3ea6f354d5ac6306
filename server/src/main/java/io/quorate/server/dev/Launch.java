package io.quorate.server.dev;

import java.util.List;
import java.util.Map;

/**
 * What a node's process is started with beyond what every server has. Tests use it to put
 * themselves between a node and its machine, measurements to compare settings.
 *
 * @param jvmFlags before the class path, each an argument of its own
 * @param environment added to the one of this process
 * @param settings keys of the configuration to override, such as {@code cluster.replicas}
 */
public record Launch(
    List<String> jvmFlags, Map<String, String> environment, Map<String, String> settings) {
  /** Nothing more. */
  public static final Launch PLAIN = new Launch(List.of(), Map.of());

  /** With the settings of the plan. */
  public Launch(List<String> jvmFlags, Map<String, String> environment) {
    this(jvmFlags, environment, Map.of());
  }

  /** With other settings, and nothing else. */
  public static Launch with(Map<String, String> settings) {
    return new Launch(List.of(), Map.of(), settings);
  }

  public Launch {
    jvmFlags = List.copyOf(jvmFlags);
    environment = Map.copyOf(environment);
    settings = Map.copyOf(settings);
  }
}

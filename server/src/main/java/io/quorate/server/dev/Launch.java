package io.quorate.server.dev;

import java.util.List;
import java.util.Map;

/**
 * What a node's process is started with beyond what every server has. Tests use it to put
 * themselves between a node and its machine.
 *
 * @param jvmFlags before the class path, each an argument of its own
 * @param environment added to the one of this process
 */
public record Launch(List<String> jvmFlags, Map<String, String> environment) {
  /** Nothing more. */
  public static final Launch PLAIN = new Launch(List.of(), Map.of());

  public Launch {
    jvmFlags = List.copyOf(jvmFlags);
    environment = Map.copyOf(environment);
  }
}

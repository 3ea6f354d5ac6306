package io.quorate.server;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks the JVM flags that a server requires. Without side effects. */
final class JvmFlags {
  /**
   * The prefixes of all accepted flags, by the required flag. A process that continues after its
   * heap is full has lost a thread, and a node without its updater or its log writer still responds
   * but no longer does its work. Without memory limits a node uses a quarter of the machine as
   * heap, and the same amount outside the heap.
   */
  private static final Map<String, List<String>> REQUIRED =
      Map.of(
          "-XX:+ExitOnOutOfMemoryError",
          List.of("-XX:+ExitOnOutOfMemoryError", "-XX:+CrashOnOutOfMemoryError"),
          "-Xmx",
          List.of("-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAMPercentage="),
          "-XX:MaxDirectMemorySize",
          List.of("-XX:MaxDirectMemorySize="));

  private JvmFlags() {}

  /**
   * The missing flags, in alphabetical order.
   *
   * @param arguments the arguments of the JVM
   */
  static List<String> missing(List<String> arguments) {
    return new TreeMap<>(REQUIRED)
        .entrySet().stream()
            .filter(
                required ->
                    arguments.stream()
                        .noneMatch(flag -> required.getValue().stream().anyMatch(flag::startsWith)))
            .map(Map.Entry::getKey)
            .toList();
  }
}

package io.quorate.server;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a server needs of its JVM. Pure. */
final class JvmFlags {
  /**
   * By the flag that is to be there, the beginnings of those that serve. A process that goes on
   * when its heap is full has lost a thread somewhere, and a node without its updater or its log
   * writer answers for what it no longer does. Without bounds on its memory a node takes a quarter
   * of the machine as heap, and as much again outside it.
   */
  private static final Map<String, List<String>> NEEDED =
      Map.of(
          "-XX:+ExitOnOutOfMemoryError",
          List.of("-XX:+ExitOnOutOfMemoryError", "-XX:+CrashOnOutOfMemoryError"),
          "-Xmx",
          List.of("-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAMPercentage="),
          "-XX:MaxDirectMemorySize",
          List.of("-XX:MaxDirectMemorySize="));

  private JvmFlags() {}

  /**
   * The flags that are missing, in alphabetical order.
   *
   * @param arguments what the JVM was started with
   */
  static List<String> missing(List<String> arguments) {
    return new TreeMap<>(NEEDED)
        .entrySet().stream()
            .filter(
                needed ->
                    arguments.stream()
                        .noneMatch(flag -> needed.getValue().stream().anyMatch(flag::startsWith)))
            .map(Map.Entry::getKey)
            .toList();
  }
}

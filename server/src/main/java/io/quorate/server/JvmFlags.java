package io.quorate.server;

import java.util.List;
import java.util.Set;

/** What a server needs of its JVM. Pure. */
final class JvmFlags {
  private static final Set<String> ENDS_WITHOUT_MEMORY =
      Set.of("-XX:+ExitOnOutOfMemoryError", "-XX:+CrashOnOutOfMemoryError");

  private JvmFlags() {}

  /**
   * Whether the process ends when its heap is full. One that goes on has lost a thread somewhere,
   * and a node without its updater or its log writer answers for what it no longer does.
   *
   * @param arguments what the JVM was started with
   */
  static boolean endWithoutMemory(List<String> arguments) {
    return arguments.stream().anyMatch(ENDS_WITHOUT_MEMORY::contains);
  }
}

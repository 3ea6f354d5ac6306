package io.quorate.torture.testbed.agent;

/**
 * Writes messages of the harness to a node's log. They go directly to the node's standard output,
 * because they are written while classes are being loaded, when no logger of the product may be
 * loaded.
 */
public final class NodeLog {
  private NodeLog() {}

  public static void write(String message) {
    System.out.println("[harness] " + message);
    System.out.flush();
  }
}

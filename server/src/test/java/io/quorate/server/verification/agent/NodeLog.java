package io.quorate.server.verification.agent;

/**
 * What the harness says in a node's log. Straight to the node's output, since it speaks while
 * classes are loaded, when a logger of the product's must not be.
 */
public final class NodeLog {
  private NodeLog() {}

  public static void say(String sentence) {
    System.out.println("[harness] " + sentence);
    System.out.flush();
  }
}

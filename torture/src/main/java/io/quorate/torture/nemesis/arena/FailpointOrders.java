package io.quorate.torture.nemesis.arena;

import io.quorate.server.localcluster.NodePlan;
import io.quorate.torture.testbed.agent.FailpointOrder;
import java.io.IOException;
import java.nio.file.Path;

/** The files through which the nodes of a cluster receive orders for their failpoints. */
public final class FailpointOrders {
  private FailpointOrders() {}

  /** The file that the agent of a node polls. */
  public static Path file(NodePlan node) {
    return node.directory().resolve("failpoints");
  }

  public static void send(NodePlan node, FailpointOrder order) throws IOException {
    order.send(file(node));
  }

  public static void withdraw(NodePlan node) throws IOException {
    FailpointOrder.withdraw(file(node));
  }
}

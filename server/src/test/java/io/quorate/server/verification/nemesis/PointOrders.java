package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.verification.agent.PointOrder;
import java.io.IOException;
import java.nio.file.Path;

/** Where the nodes of an arena find what is to happen at their failpoints. */
public final class PointOrders {
  private PointOrders() {}

  /** The file that a node's agent is told to look at. */
  public static Path file(NodePlan node) {
    return node.directory().resolve("failpoints");
  }

  static void send(NodePlan node, PointOrder order) throws IOException {
    order.send(file(node));
  }

  static void withdraw(NodePlan node) throws IOException {
    PointOrder.withdraw(file(node));
  }
}

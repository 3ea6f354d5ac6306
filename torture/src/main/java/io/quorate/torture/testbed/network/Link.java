package io.quorate.torture.testbed.network;

import io.quorate.model.NodeId;

/** One direction of the traffic between two nodes, or between a node and the clients. */
public record Link(NodeId from, NodeId to) {
  /** Represents all clients. */
  public static final NodeId CLIENTS = new NodeId("clients");

  @Override
  public String toString() {
    return from + "->" + to;
  }
}

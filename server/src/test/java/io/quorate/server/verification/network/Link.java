package io.quorate.server.verification.network;

import io.quorate.consensus.NodeId;

/** What travels from one node to another, or between a node and the clients; one direction. */
public record Link(NodeId from, NodeId to) {
  /** Stands for every client. */
  public static final NodeId CLIENTS = new NodeId("clients");

  @Override
  public String toString() {
    return from + "->" + to;
  }
}

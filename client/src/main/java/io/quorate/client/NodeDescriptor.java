package io.quorate.client;

import io.quorate.client.wire.v1.Node;
import io.quorate.consensus.NodeId;
import java.util.List;

/**
 * A node in the topology of a cluster.
 *
 * @param address the address of its client port
 * @param labels its failure domains, the widest first
 * @param isDraining whether it is to have no replicas
 */
public record NodeDescriptor(
    NodeId id, NodeAddress address, List<String> labels, boolean isDraining) {
  public NodeDescriptor {
    labels = List.copyOf(labels);
  }

  /**
   * @throws IllegalArgumentException if the message contains an invalid name or address
   */
  static NodeDescriptor of(Node node) {
    return new NodeDescriptor(
        new NodeId(node.getId()),
        new NodeAddress(node.getHost(), node.getClientPort()),
        node.getLabelsList(),
        node.getDraining());
  }
}

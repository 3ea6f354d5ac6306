package io.quorate.server.topology;

import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterNode;
import java.util.Optional;
import java.util.UUID;

/**
 * A node as it is stored in the topology.
 *
 * @param node its name and addresses
 * @param disk the identity of its data directory; empty until the node has registered one
 * @param isDraining whether it is to have no replicas
 * @param ranges which changes of the ranges of regions it knows
 */
public record NodeEntry(
    ClusterNode node, Optional<UUID> disk, boolean isDraining, RangeSupport ranges) {

  public NodeId id() {
    return node.id();
  }

  public NodeEntry draining(boolean draining) {
    return new NodeEntry(node, disk, draining, ranges);
  }

  /** The same node with a disk. */
  public NodeEntry on(UUID registered) {
    return new NodeEntry(node, Optional.of(registered), isDraining, ranges);
  }
}

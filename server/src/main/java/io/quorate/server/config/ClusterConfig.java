package io.quorate.server.config;

import io.quorate.model.Key;
import io.quorate.model.NodeId;
import java.util.List;

/**
 * The settings that are the same on every node.
 *
 * @param nodes every node of the cluster
 * @param regions the number of regions when the cluster first starts
 * @param splitKeys the boundaries between regions, ascending, one fewer than regions; empty for
 *     even splits
 * @param replicasWanted the number of replicas that a region is to have once there are enough nodes
 */
public record ClusterConfig(
    ClusterId id, List<ClusterNode> nodes, int regions, List<Key> splitKeys, int replicasWanted) {
  public ClusterConfig {
    nodes = List.copyOf(nodes);
    splitKeys = List.copyOf(splitKeys);
  }

  /** The number of replicas with which a region begins: at most one on each node. */
  public int replicas() {
    return Math.min(replicasWanted, nodes.size());
  }

  /**
   * @throws IllegalArgumentException if there is no such node
   */
  public ClusterNode node(NodeId id) {
    return nodes.stream()
        .filter(node -> node.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("No node " + id + " among " + nodes));
  }
}

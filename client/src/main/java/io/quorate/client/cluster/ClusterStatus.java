package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The states that the nodes of a cluster report about themselves. Each report reflects the moment
 * at which its node was queried; together the reports are not a consistent cut.
 *
 * @param nodes one report for every known node, whether it responded or not, sorted by name
 */
public record ClusterStatus(List<NodeReport> nodes) {
  public ClusterStatus {
    nodes = List.copyOf(Nulls.refuse(nodes, "nodes"));
  }

  /** Returns what the nodes that responded reported of their replicas of a region. */
  public List<ReplicaState> replicas(GroupId region) {
    Nulls.refuse(region, "region");
    return nodes.stream().flatMap(node -> node.replica(region).stream()).toList();
  }

  /** Returns the nodes of the newest topology that a node in service has; empty without one. */
  public List<NodeDescriptor> topology() {
    return newest().map(NodeState::nodes).orElse(List.of());
  }

  /** Returns the entry of a node in the same topology; empty if it has none. */
  public Optional<NodeDescriptor> descriptor(NodeReport node) {
    Nulls.refuse(node, "node");
    return topology().stream()
        .filter(entry -> node.id().equals(Optional.of(entry.id())))
        .findFirst();
  }

  /** Returns whether a node is to have no replicas, according to the same topology. */
  public boolean isDraining(NodeReport node) {
    return descriptor(node).map(NodeDescriptor::isDraining).orElse(false);
  }

  /** Returns what is planned for regions and not complete, according to the same topology. */
  public Map<GroupId, RegionPlan> plans() {
    return newest().map(NodeState::plans).orElse(Map.of());
  }

  /** Returns the regions of the same topology. */
  public List<RegionDescriptor> regions() {
    return newest().map(NodeState::regions).orElse(List.of());
  }

  /**
   * Returns how many replicas a region is to have with the nodes of the same topology that may have
   * some; 0 without a topology.
   */
  public int replicasWanted() {
    int nodes = (int) topology().stream().filter(node -> !node.isDraining()).count();
    return replicasWanted(newest().map(NodeState::replicasPerRegion).orElse(0), nodes);
  }

  /**
   * Returns how many replicas a region is to have. While there are too few nodes, the number is
   * odd: an even number tolerates no more failures than one replica fewer.
   *
   * @param replicas how many it is to have with enough nodes
   * @param nodes how many may have some
   */
  public static int replicasWanted(int replicas, int nodes) {
    return nodes >= replicas ? replicas : nodes % 2 == 0 ? Math.max(1, nodes - 1) : nodes;
  }

  private Optional<NodeState> newest() {
    return nodes.stream()
        .flatMap(node -> node.state().stream())
        .filter(node -> node.joinState() == NodeState.JoinState.JOINED)
        .max(Comparator.comparingLong(NodeState::topologyVersion));
  }

  /** Returns whether at least one node responded. */
  public boolean isReachable() {
    return nodes.stream().anyMatch(NodeReport::isUp);
  }
}

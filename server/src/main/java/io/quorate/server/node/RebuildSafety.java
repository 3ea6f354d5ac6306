package io.quorate.server.node;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a node may lose all of its replicas at once and receive them again: no other node is
 * about to do so, and each region is served elsewhere, where the replicas that are well are more
 * than half of all members without that of this node. Such a replica has what this node knows to be
 * committed, and its node accepts writes, stores them and has lost none. One object decides on one
 * report; no side effects.
 */
final class RebuildSafety {
  private final Map<NodeId, NodeState> others = new HashMap<>();

  private RebuildSafety(NodeId self, ClusterStatus status) {
    for (NodeReport report : status.nodes()) {
      report.state().filter(node -> !node.id().equals(self)).ifPresent(this::add);
    }
  }

  private void add(NodeState node) {
    others.put(node.id(), node);
  }

  /**
   * Why this node may not lose its replicas now.
   *
   * @param self this node
   * @param committed the regions of which this node has or is to have a replica, with the commit
   *     index that its replica knew before the nodes were asked; -1 if it has none
   * @param status what all nodes report
   * @return part of a sentence; empty if it may
   */
  static Optional<String> obstacle(
      NodeId self, Map<GroupId, Long> committed, ClusterStatus status) {
    RebuildSafety safety = new RebuildSafety(self, status);
    Optional<String> rebuilding =
        safety.others.values().stream()
            .filter(node -> !node.lostReplicas().isEmpty())
            .map(node -> "node " + node.id() + " waits for replicas")
            .min(Comparator.naturalOrder());
    return rebuilding.or(
        () ->
            committed.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .flatMap(
                    region -> safety.obstacle(self, region.getKey(), region.getValue()).stream())
                .findFirst());
  }

  private Optional<String> obstacle(NodeId self, GroupId region, long committed) {
    Optional<ReplicaState> serving =
        others.values().stream()
            .flatMap(node -> replica(node, region).stream())
            .filter(replica -> replica.serving() || replica.hibernating())
            .max(
                Comparator.comparing(ReplicaState::serving)
                    .thenComparing(ReplicaState::consensusEpoch));
    if (serving.isEmpty()) {
      return Optional.of("no other node serves region " + region);
    }
    List<NodeId> members = serving.get().members();
    long well =
        members.stream()
            .filter(node -> !node.equals(self) && !serving.get().lostMembers().contains(node))
            .filter(node -> isWell(node, region, committed))
            .count();
    return 2 * well > members.size()
        ? Optional.empty()
        : Optional.of("region " + region + " has no majority that is well without this node");
  }

  private boolean isWell(NodeId node, GroupId region, long committed) {
    NodeState state = others.get(node);
    return state != null
        && state.joinState() == NodeState.JoinState.JOINED
        && state.acceptsWrites()
        && state.storageFailures().isEmpty()
        && replica(state, region).filter(replica -> isWell(replica, committed)).isPresent();
  }

  private static boolean isWell(ReplicaState replica, long committed) {
    return replica.problem().isEmpty()
        && replica.applied() >= committed
        && replica.bodies().filter(bodies -> bodies.degraded() > 0).isEmpty();
  }

  private static Optional<ReplicaState> replica(NodeState node, GroupId region) {
    return node.replicas().stream()
        .filter(replica -> replica.region().id().equals(region))
        .findFirst();
  }
}

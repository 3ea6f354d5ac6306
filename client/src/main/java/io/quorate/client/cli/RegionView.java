package io.quorate.client.cli;

import io.quorate.client.ClusterStatus;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.client.wire.v1.Replica;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One region, put together from what the nodes that answered say about their replicas.
 *
 * @param start the first key, as the one line it is printed as
 * @param end the first key beyond, likewise; empty for "to the end"
 * @param leader by the replica that has seen the highest consensus epoch
 * @param members nodes that have a replica, by the same one
 */
record RegionView(
    int id,
    long epoch,
    String start,
    Optional<String> end,
    Optional<String> leader,
    List<String> members,
    List<ReplicaView> replicas) {

  /** A replica on the node that reported it. */
  record ReplicaView(String node, Replica replica) {}

  /** Every region of which a replica was reported, by number. */
  static List<RegionView> of(ClusterStatus status) {
    Map<Integer, List<ReplicaView>> byRegion = new TreeMap<>();
    status.nodes().stream()
        .flatMap(node -> node.status().stream())
        .forEach(
            node ->
                node.getReplicasList()
                    .forEach(
                        replica ->
                            byRegion
                                .computeIfAbsent(replica.getRegion(), id -> new ArrayList<>())
                                .add(view(node, replica))));
    return byRegion.values().stream().map(RegionView::of).toList();
  }

  private static ReplicaView view(NodeStatus node, Replica replica) {
    return new ReplicaView(node.getNode().getId(), replica);
  }

  private static RegionView of(List<ReplicaView> replicas) {
    Replica newest =
        replicas.stream()
            .map(ReplicaView::replica)
            .max(
                Comparator.comparingLong(Replica::getConsensusEpoch)
                    .thenComparing(replica -> !replica.getLeader().isEmpty()))
            .orElseThrow();
    return new RegionView(
        newest.getRegion(),
        newest.getEpoch(),
        Rendering.line(newest.getStart().toByteArray()),
        newest.hasEnd()
            ? Optional.of(Rendering.line(newest.getEnd().toByteArray()))
            : Optional.empty(),
        newest.getLeader().isEmpty() ? Optional.empty() : Optional.of(newest.getLeader()),
        List.copyOf(newest.getReplicasList()),
        replicas);
  }
}

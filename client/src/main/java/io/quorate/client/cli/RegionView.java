package io.quorate.client.cli;

import io.quorate.client.ClusterStatus;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.client.wire.v1.Region;
import io.quorate.client.wire.v1.Replica;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One region, put together from what the nodes that responded report of their replicas.
 *
 * @param start the first key, as the one line it is printed as
 * @param end the first key beyond, likewise; empty for "to the end"
 * @param leader by the replica that has seen the highest consensus epoch
 * @param members nodes that are to have a replica, by the same one
 * @param replicas one for each member, in their order
 */
record RegionView(
    int id,
    long epoch,
    String start,
    Optional<String> end,
    Optional<String> leader,
    List<String> members,
    List<ReplicaView> replicas) {

  /** What a replica does for its region. */
  enum Role {
    /** Takes reads and writes. */
    LEADER,
    FOLLOWER,
    /** Takes reads and writes, in a region without a leader. */
    READY,
    /** Catches up, or hears from too few others, in a region without a leader. */
    NOT_READY,
    /** Its node responded and has no such replica, for example while it starts. */
    ABSENT,
    /** Its node did not respond. */
    DOWN;

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * A replica that is to be there.
   *
   * @param replica what its node reports of it, if it does
   */
  record ReplicaView(String node, Role role, Optional<Replica> replica) {}

  /** Every region that a node knows, by number. */
  static List<RegionView> of(ClusterStatus status) {
    Map<String, NodeStatus> nodes = new TreeMap<>();
    status.nodes().stream()
        .flatMap(node -> node.status().stream())
        .forEach(node -> nodes.put(node.getNode().getId(), node));
    Map<Integer, Map<String, Replica>> byRegion = new TreeMap<>();
    Map<Integer, Region> known = new TreeMap<>();
    nodes.forEach(
        (name, node) -> {
          node.getReplicasList()
              .forEach(
                  replica ->
                      byRegion
                          .computeIfAbsent(replica.getRegion(), id -> new TreeMap<>())
                          .put(name, replica));
          node.getTopology()
              .getRegionsList()
              .forEach(
                  region ->
                      known.merge(
                          region.getId(),
                          region,
                          (one, other) -> one.getEpoch() >= other.getEpoch() ? one : other));
        });
    List<RegionView> regions = new ArrayList<>();
    byRegion.forEach((id, replicas) -> regions.add(of(nodes, replicas)));
    known.values().stream()
        .filter(region -> !byRegion.containsKey(region.getId()))
        .map(region -> region.toBuilder().clearLeader().build())
        .forEach(region -> regions.add(of(nodes, region, Map.of())));
    regions.sort(Comparator.comparingInt(RegionView::id));
    return List.copyOf(regions);
  }

  /** Whether it takes writes, as far as the nodes report. */
  boolean isAvailable() {
    boolean isServed =
        replicas.stream()
            .anyMatch(replica -> replica.role() == Role.LEADER || replica.role() == Role.READY);
    return isServed && hasMajority();
  }

  /** Whether more than half of its replicas are there. */
  boolean hasMajority() {
    long present = replicas.stream().filter(view -> view.replica().isPresent()).count();
    return 2 * present > replicas.size();
  }

  /** As the replica has it that has seen the highest consensus epoch. */
  private static RegionView of(Map<String, NodeStatus> nodes, Map<String, Replica> replicas) {
    Replica newest =
        replicas.values().stream()
            .max(
                Comparator.comparingLong(Replica::getConsensusEpoch)
                    .thenComparing(replica -> !replica.getLeader().isEmpty()))
            .orElseThrow();
    Region.Builder region =
        Region.newBuilder()
            .setId(newest.getRegion())
            .setEpoch(newest.getEpoch())
            .setStart(newest.getStart())
            .addAllReplicas(newest.getReplicasList())
            .setLeader(newest.getLeader());
    if (newest.hasEnd()) {
      region.setEnd(newest.getEnd());
    }
    return of(nodes, region.build(), replicas);
  }

  private static RegionView of(
      Map<String, NodeStatus> nodes, Region region, Map<String, Replica> replicas) {
    List<String> members = List.copyOf(region.getReplicasList());
    Optional<String> leader = Optional.of(region.getLeader()).filter(name -> !name.isEmpty());
    return new RegionView(
        region.getId(),
        region.getEpoch(),
        Rendering.line(region.getStart().toByteArray()),
        Optional.of(region)
            .filter(Region::hasEnd)
            .map(bounded -> Rendering.line(bounded.getEnd().toByteArray())),
        leader,
        members,
        members.stream()
            .map(node -> view(node, nodes, Optional.ofNullable(replicas.get(node)), leader))
            .toList());
  }

  private static ReplicaView view(
      String node,
      Map<String, NodeStatus> nodes,
      Optional<Replica> replica,
      Optional<String> leader) {
    NodeStatus status = nodes.get(node);
    Role role;
    if (status == null) {
      role = Role.DOWN;
    } else if (replica.isEmpty()) {
      role = Role.ABSENT;
    } else if (!status.getTopology().getLeadersOnly()) {
      role = replica.get().getServing() ? Role.READY : Role.NOT_READY;
    } else {
      boolean leads = replica.get().getServing() && leader.equals(Optional.of(node));
      role = leads ? Role.LEADER : Role.FOLLOWER;
    }
    return new ReplicaView(node, role, replica);
  }
}

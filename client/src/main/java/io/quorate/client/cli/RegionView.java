package io.quorate.client.cli;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeState;
import io.quorate.client.RegionDescriptor;
import io.quorate.client.ReplicaState;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
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
  record ReplicaView(String node, Role role, Optional<ReplicaState> replica) {}

  /** Every region that a node knows, by number. */
  static List<RegionView> of(ClusterStatus status) {
    Map<NodeId, NodeState> nodes = new TreeMap<>();
    status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .forEach(node -> nodes.put(node.id(), node));
    Map<GroupId, Map<NodeId, ReplicaState>> byRegion = new TreeMap<>();
    Map<GroupId, RegionDescriptor> known = new TreeMap<>();
    nodes.forEach(
        (name, node) -> {
          node.replicas()
              .forEach(
                  replica ->
                      byRegion
                          .computeIfAbsent(replica.region().id(), id -> new TreeMap<>())
                          .put(name, replica));
          node.regions().forEach(region -> known.merge(region.id(), region, RegionView::newer));
        });
    List<RegionView> regions = new ArrayList<>();
    byRegion.forEach((id, replicas) -> regions.add(of(nodes, newest(replicas), replicas)));
    known.values().stream()
        .filter(region -> !byRegion.containsKey(region.id()))
        .forEach(region -> regions.add(of(nodes, withoutLeader(region), Map.of())));
    regions.sort(Comparator.comparingInt(RegionView::id));
    return List.copyOf(regions);
  }

  private static RegionDescriptor newer(RegionDescriptor one, RegionDescriptor other) {
    return one.epoch().compareTo(other.epoch()) >= 0 ? one : other;
  }

  private static RegionDescriptor withoutLeader(RegionDescriptor region) {
    return new RegionDescriptor(
        region.id(), region.epoch(), region.range(), region.replicas(), Optional.empty());
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
  private static RegionDescriptor newest(Map<NodeId, ReplicaState> replicas) {
    return replicas.values().stream()
        .max(
            Comparator.comparingLong(ReplicaState::consensusEpoch)
                .thenComparing(replica -> replica.region().leader().isPresent()))
        .orElseThrow()
        .region();
  }

  private static RegionView of(
      Map<NodeId, NodeState> nodes, RegionDescriptor region, Map<NodeId, ReplicaState> replicas) {
    return new RegionView(
        region.id().value(),
        region.epoch().value(),
        Rendering.line(region.range().start().bytes()),
        region.range().end().map(end -> Rendering.line(end.bytes())),
        region.leader().map(NodeId::value),
        region.replicas().stream().map(NodeId::value).toList(),
        region.replicas().stream()
            .map(
                node -> view(node, nodes, Optional.ofNullable(replicas.get(node)), region.leader()))
            .toList());
  }

  private static ReplicaView view(
      NodeId node,
      Map<NodeId, NodeState> nodes,
      Optional<ReplicaState> replica,
      Optional<NodeId> leader) {
    NodeState state = nodes.get(node);
    Role role;
    if (state == null) {
      role = Role.DOWN;
    } else if (replica.isEmpty()) {
      role = Role.ABSENT;
    } else if (state.leaderless()) {
      role = replica.get().serving() ? Role.READY : Role.NOT_READY;
    } else {
      boolean leads = replica.get().serving() && leader.equals(Optional.of(node));
      role = leads ? Role.LEADER : Role.FOLLOWER;
    }
    return new ReplicaView(node.value(), role, replica);
  }
}

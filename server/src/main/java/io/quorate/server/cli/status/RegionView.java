package io.quorate.server.cli.status;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionPlan;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.Rendering;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One region, combined from the replica states that the nodes report.
 *
 * @param start the first key, encoded on one line for output
 * @param end the first key after the region, encoded likewise; empty if the region has no end
 * @param leader as reported by the replica with the highest consensus epoch
 * @param members nodes that should have a replica, as reported by the same replica
 * @param replicas one for each member, in the order of the members
 * @param plan what is planned for the region and not complete
 * @param incoming the replica that the plan adds; empty if it adds none
 */
record RegionView(
    int id,
    long epoch,
    String start,
    Optional<String> end,
    Optional<String> leader,
    List<String> members,
    List<ReplicaView> replicas,
    Optional<RegionPlan> plan,
    Optional<ReplicaView> incoming) {
  /** In no topology. */
  private static final GroupId METADATA = new GroupId(0);

  /** The role of a replica in its region. */
  enum Role {
    /** Serves reads and writes. */
    LEADER,
    FOLLOWER,
    /** Serves reads and writes, in a region without a leader. */
    READY,
    /** Has stopped because the region is not in use; any request starts it. */
    HIBERNATING,
    /** Catches up, or receives messages from too few others, in a region without a leader. */
    NOT_READY,
    /** Its node responded without such a replica, for example because the node is starting. */
    ABSENT,
    /** Its node has lost it, and will receive one from the others. */
    LOST,
    /** Its node did not respond. */
    DOWN;

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Why a region accepts no writes. */
  enum NoWrites {
    NO_MAJORITY("fewer than a majority of the replicas are there"),
    REFUSED("the node of the leader refuses them, or every node does"),
    NOT_SERVED("no replica leads or is ready");

    private final String text;

    NoWrites(String text) {
      this.text = text;
    }

    /** As part of a sentence. */
    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * The replica of one member.
   *
   * @param replica the state that its node reports; empty if it reports none
   * @param acceptsWrites whether its node accepts writes
   * @param damage what is damaged or missing of it, as a sentence; empty if it is not known
   */
  record ReplicaView(
      String node,
      Role role,
      Optional<ReplicaState> replica,
      boolean acceptsWrites,
      Optional<String> damage) {

    /** Whether the replica knows no leader, although its region has leaders. */
    boolean isUnled() {
      return role == Role.FOLLOWER
          && replica.filter(state -> state.region().leader().isEmpty()).isPresent();
    }

    /** For how long the replica is known to be behind. */
    Optional<Duration> behind() {
      return replica.flatMap(ReplicaState::behind);
    }

    /** Whether the replica takes requests, as far as its region is concerned. */
    private boolean isServed() {
      return switch (role) {
        case LEADER, READY, HIBERNATING -> true;
        case FOLLOWER, NOT_READY, ABSENT, LOST, DOWN -> false;
      };
    }
  }

  /** Every region that a node reports and that has not ended, ordered by number. */
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
    Map<GroupId, RegionPlan> plans = status.plans();
    List<RegionView> regions = new ArrayList<>();
    byRegion.forEach((id, replicas) -> regions.add(of(nodes, newest(replicas), replicas, plans)));
    known.values().stream()
        .filter(region -> !byRegion.containsKey(region.id()))
        .forEach(region -> regions.add(of(nodes, withoutLeader(region), Map.of(), plans)));
    Set<GroupId> present = present(status);
    return regions.stream()
        .filter(region -> present.isEmpty() || present.contains(new GroupId(region.id())))
        .sorted(Comparator.comparingInt(RegionView::id))
        .toList();
  }

  /**
   * The regions of the cluster, without those that have ended by a merge: a node that is behind may
   * still report such a region. Empty if no node in service has the topology.
   */
  private static Set<GroupId> present(ClusterStatus status) {
    Set<GroupId> present =
        status.regions().stream().map(RegionDescriptor::id).collect(Collectors.toSet());
    if (!present.isEmpty()) {
      present.add(METADATA);
      // A node has the new region of a split before the topology has it.
      for (RegionPlan plan : status.plans().values()) {
        if (plan instanceof RegionPlan.Split split) {
          present.add(split.child());
        }
      }
    }
    return present;
  }

  private static RegionDescriptor newer(RegionDescriptor one, RegionDescriptor other) {
    return one.epoch().compareTo(other.epoch()) >= 0 ? one : other;
  }

  private static RegionDescriptor withoutLeader(RegionDescriptor region) {
    return new RegionDescriptor(
        region.id(), region.epoch(), region.range(), region.replicas(), Optional.empty());
  }

  /**
   * Why the plan is not carried out: what kept the replica that serves when it last tried, or that
   * there is none.
   */
  Optional<String> planProblem() {
    List<ReplicaState> states = replicas.stream().flatMap(view -> view.replica().stream()).toList();
    if (plan.isPresent()
        && states.stream().noneMatch(state -> state.serving() || state.hibernating())) {
      return Optional.of("it waits until the region accepts writes, which a change takes");
    }
    return states.stream()
        .filter(ReplicaState::serving)
        .flatMap(state -> state.planProblem().stream())
        .findFirst();
  }

  /** Why the region accepts no writes, as the reports of the nodes show; empty if it does. */
  Optional<NoWrites> noWrites() {
    long present = replicas.stream().filter(view -> view.replica().isPresent()).count();
    if (2 * present <= replicas.size()) {
      return Optional.of(NoWrites.NO_MAJORITY);
    }
    List<ReplicaView> served = replicas.stream().filter(ReplicaView::isServed).toList();
    if (served.isEmpty()) {
      return Optional.of(NoWrites.NOT_SERVED);
    }
    return served.stream().anyMatch(ReplicaView::acceptsWrites)
        ? Optional.empty()
        : Optional.of(NoWrites.REFUSED);
  }

  /**
   * The descriptor of the replica with the highest consensus epoch; of several, one with a leader.
   */
  private static RegionDescriptor newest(Map<NodeId, ReplicaState> replicas) {
    return replicas.values().stream()
        .max(
            Comparator.comparingLong(ReplicaState::consensusEpoch)
                .thenComparing(replica -> replica.region().leader().isPresent()))
        .orElseThrow()
        .region();
  }

  private static RegionView of(
      Map<NodeId, NodeState> nodes,
      RegionDescriptor region,
      Map<NodeId, ReplicaState> replicas,
      Map<GroupId, RegionPlan> plans) {
    Optional<RegionPlan> plan = Optional.ofNullable(plans.get(region.id()));
    Function<NodeId, ReplicaView> viewOf =
        node ->
            isLost(node, replicas)
                ? new ReplicaView(
                    node.value(), Role.LOST, Optional.empty(), false, damage(node, nodes, region))
                : view(node, nodes, Optional.ofNullable(replicas.get(node)), region);
    return new RegionView(
        region.id().value(),
        region.epoch().value(),
        Rendering.line(region.range().start().bytes()),
        region.range().end().map(end -> Rendering.line(end.bytes())),
        region.leader().map(NodeId::value),
        region.replicas().stream().map(NodeId::value).toList(),
        region.replicas().stream().map(viewOf).toList(),
        plan,
        plan.flatMap(RegionPlan::newReplica)
            .filter(node -> !region.replicas().contains(node))
            .map(viewOf));
  }

  /** Whether the leader has noticed that the replica lost what it had acknowledged. */
  private static boolean isLost(NodeId node, Map<NodeId, ReplicaState> replicas) {
    return replicas.values().stream().anyMatch(each -> each.lostMembers().contains(node));
  }

  private static Optional<String> damage(
      NodeId node, Map<NodeId, NodeState> nodes, RegionDescriptor region) {
    return Optional.ofNullable(nodes.get(node))
        .flatMap(state -> Optional.ofNullable(state.damages().get(region.id())));
  }

  private static ReplicaView view(
      NodeId node,
      Map<NodeId, NodeState> nodes,
      Optional<ReplicaState> replica,
      RegionDescriptor region) {
    NodeState state = nodes.get(node);
    Role role;
    if (state == null) {
      role = Role.DOWN;
    } else if (replica.isEmpty()) {
      role = state.lostReplicas().containsKey(region.id()) ? Role.LOST : Role.ABSENT;
    } else if (replica.get().hibernating()) {
      role = Role.HIBERNATING;
    } else if (state.leaderless()) {
      role = replica.get().serving() ? Role.READY : Role.NOT_READY;
    } else {
      boolean leads = replica.get().serving() && region.leader().equals(Optional.of(node));
      role = leads ? Role.LEADER : Role.FOLLOWER;
    }
    return new ReplicaView(
        node.value(),
        role,
        replica,
        state != null && state.acceptsWrites(),
        damage(node, nodes, region));
  }
}

package io.quorate.client;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.quorum.ReadMix;
import io.quorate.consensus.quorum.ReplicaLoads;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Knows the map of the cluster and who leads which region, and says where a request goes. Does no
 * I/O; used by the client's event loop only.
 */
final class Router {
  private final Optional<NodeId> nearest;
  private final int preference;
  private final Map<GroupId, NodeId> leaders = new HashMap<>();
  private final Doubts doubts = new Doubts();
  private final ReplicaLoads loads =
      new ReplicaLoads(() -> ThreadLocalRandom.current().nextDouble());
  private final LongSupplier nanoClock;
  private Optional<ClusterMap> map = Optional.empty();
  private int turn;

  /** A client that is near no node more than to others. */
  Router(int preference, LongSupplier nanoClock) {
    this(Optional.empty(), preference, nanoClock);
  }

  /**
   * @param nearest the node that is asked first where it serves as well as any other
   * @param preference any number; clients with different ones prefer different replicas where every
   *     replica serves
   * @param nanoClock as {@link System#nanoTime}
   */
  Router(Optional<NodeId> nearest, int preference, LongSupplier nanoClock) {
    this.nearest = nearest;
    this.preference = preference;
    this.nanoClock = nanoClock;
  }

  Optional<ClusterMap> map() {
    return map;
  }

  /** Takes over a map and the leaders it names, unless it is older than the present one. */
  void learn(ClusterMap learnt) {
    if (map.isPresent() && learnt.isOlderThan(map.get())) {
      return;
    }
    map = Optional.of(learnt);
    leaders.keySet().retainAll(learnt.regions().stream().map(RegionDescriptor::id).toList());
    for (RegionDescriptor region : learnt.regions()) {
      region.leader().ifPresent(leader -> leaders.put(region.id(), leader));
    }
  }

  /** A node said that it does not lead the region, and who does if it knows. */
  void notLeader(GroupId region, NodeId asked, Optional<NodeId> leader) {
    if (leader.isPresent()) {
      leaders.put(region, leader.get());
    } else {
      leaders.remove(region, asked);
    }
  }

  /** A node did not answer: whatever it led may have another leader now. */
  void unreachable(NodeId node) {
    leaders.values().removeIf(node::equals);
    unhelpful(node);
  }

  /** A node cannot serve now: where others can, they are asked first for a while. */
  void unhelpful(NodeId node) {
    doubts.failed(node, nanoClock.getAsLong());
  }

  /** A node answered as it should. */
  void answered(NodeId node) {
    doubts.answered(node);
  }

  /** Whether the node is one that the present map describes. */
  boolean knows(NodeId node) {
    return map.isPresent() && map.get().nodes().containsKey(node);
  }

  /**
   * Where a request for the region goes next.
   *
   * @param forReplicas whether any replica takes it; then the leader is asked last, who has the
   *     writes to do
   * @param after the node that was asked last and could not help, if there is one; it is asked
   *     again only if there is no other
   * @param reachable whether it makes sense to send something to a node now
   */
  NodeId choose(
      RegionDescriptor region,
      boolean forReplicas,
      Optional<NodeId> after,
      Predicate<NodeId> reachable) {
    if (leadersOnly() && !forReplicas) {
      NodeId leader = leaders.get(region.id());
      if (leader != null
          && !after.equals(Optional.of(leader))
          && knows(leader)
          && reachable.test(leader)) {
        return leader;
      }
    }
    List<NodeId> followers = withoutLeader(region);
    int start =
        after
            .map(followers::indexOf)
            .filter(index -> index >= 0)
            .map(index -> index + 1)
            .orElseGet(() -> first(followers, 0));
    Predicate<NodeId> usable = node -> !after.equals(Optional.of(node)) && reachable.test(node);
    List<NodeId> inTurn = leaderLast(region, from(followers, start));
    return inTurn.stream()
        .filter(usable.and(node -> doubts.admits(node, nanoClock.getAsLong())))
        .findFirst()
        .or(() -> inTurn.stream().filter(usable).findFirst())
        .orElse(inTurn.get(0));
  }

  /**
   * In which order the replicas of a region are asked where several are asked together: the nearest
   * first, or another one every time if none is, or, where reads follow what was measured, those
   * that answer soonest; the leader after the others, and last those that are not likely to answer.
   *
   * @param reachable whether it makes sense to send something to a node now
   */
  List<NodeId> order(RegionDescriptor region, Predicate<NodeId> reachable) {
    List<NodeId> followers = withoutLeader(region);
    List<NodeId> rotated = from(followers, first(followers, turn++));
    List<NodeId> inTurn =
        leaderLast(region, isMeasured() ? loads.order(rotated, nanoClock.getAsLong()) : rotated);
    Map<Boolean, List<NodeId>> likely =
        inTurn.stream().collect(Collectors.partitioningBy(reachable.and(this::isTrusted)));
    List<NodeId> order = new ArrayList<>(likely.get(true));
    order.addAll(likely.get(false));
    return order;
  }

  /** The index, whole turns apart, of the replica to begin with. */
  private int first(List<NodeId> replicas, int turns) {
    return nearest
        .map(replicas::indexOf)
        .filter(index -> index >= 0)
        .orElseGet(() -> preference + turns);
  }

  /** Who leads a region, as far as it is known. */
  Optional<NodeId> leader(GroupId region) {
    return Optional.ofNullable(leaders.get(region)).filter(this::knows);
  }

  /** A replica took so long to give its share, and said how much it had to do. */
  void measured(NodeId node, long nanos, int load) {
    loads.answered(node, nanos, load, nanoClock.getAsLong());
  }

  private boolean isMeasured() {
    return map.flatMap(known -> known.reads().mix()).map(ReadMix.Policy::adaptive).orElse(false);
  }

  /** The replicas, but for the leader where there is one and it is known. */
  private List<NodeId> withoutLeader(RegionDescriptor region) {
    Optional<NodeId> leader = leadersOnly() ? leader(region.id()) : Optional.empty();
    List<NodeId> followers =
        region.replicas().stream().filter(node -> !leader.equals(Optional.of(node))).toList();
    return followers.isEmpty() ? region.replicas() : followers;
  }

  /** With the leader at the end, if it is not among them. */
  private List<NodeId> leaderLast(RegionDescriptor region, List<NodeId> order) {
    List<NodeId> whole = new ArrayList<>(order);
    region.replicas().stream().filter(node -> !order.contains(node)).forEach(whole::add);
    return whole;
  }

  private boolean isTrusted(NodeId node) {
    return !doubts.doubts(node, nanoClock.getAsLong());
  }

  private static List<NodeId> from(List<NodeId> replicas, int start) {
    List<NodeId> rotated = new ArrayList<>(replicas);
    Collections.rotate(rotated, -Math.floorMod(start, replicas.size()));
    return rotated;
  }

  private boolean leadersOnly() {
    return map.isPresent() && map.get().leadersOnly();
  }
}

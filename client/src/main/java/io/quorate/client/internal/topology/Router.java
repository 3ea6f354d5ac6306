package io.quorate.client.internal.topology;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.quorum.LatencyAwareSelector;
import io.quorate.quorum.ReadBalancer;
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
 * Holds the topology of the cluster and the leaders of its regions, and chooses the node for each
 * request. Does no I/O; used by the client's event loop only.
 */
public final class Router {
  private final Optional<NodeId> nearest;
  private final int preference;
  private final Map<GroupId, NodeId> leaders = new HashMap<>();
  private final SuspectList suspects = new SuspectList();
  private final LatencyAwareSelector selector =
      new LatencyAwareSelector(() -> ThreadLocalRandom.current().nextDouble());
  private final LongSupplier nanoClock;
  private Optional<TopologySnapshot> topology = Optional.empty();
  private int rotation;

  /** Creates a router that prefers no nearest node. */
  public Router(int preference, LongSupplier nanoClock) {
    this(Optional.empty(), preference, nanoClock);
  }

  /**
   * @param nearest the node that is preferred if every replica can serve a request
   * @param preference any number; clients with different numbers prefer different replicas if every
   *     replica can serve a request
   * @param nanoClock as {@link System#nanoTime}
   */
  public Router(Optional<NodeId> nearest, int preference, LongSupplier nanoClock) {
    this.nearest = nearest;
    this.preference = preference;
    this.nanoClock = nanoClock;
  }

  public Optional<TopologySnapshot> topology() {
    return topology;
  }

  /** Adopts a topology and the leaders that it names, unless it is older than the present one. */
  public void update(TopologySnapshot received) {
    if (topology.isPresent() && received.isOlderThan(topology.get())) {
      return;
    }
    topology = Optional.of(received);
    leaders.keySet().retainAll(received.regions().stream().map(RegionDescriptor::id).toList());
    for (RegionDescriptor region : received.regions()) {
      // A node that has lost its replica does not name the leader that there is now.
      leaders.computeIfPresent(
          region.id(), (id, leader) -> region.replicas().contains(leader) ? leader : null);
      region.leader().ifPresent(leader -> leaders.put(region.id(), leader));
    }
  }

  /** Forgets everything, because the cluster is another one. */
  public void reset() {
    topology = Optional.empty();
    leaders.clear();
  }

  /**
   * Called when a node has responded that it does not lead the region.
   *
   * @param leader the leader that the node named; empty if it named none
   */
  public void notLeader(GroupId region, NodeId node, Optional<NodeId> leader) {
    if (leader.isPresent()) {
      leaders.put(region, leader.get());
    } else {
      leaders.remove(region, node);
    }
  }

  /** Called when a node did not respond: the regions that it led may have another leader now. */
  public void unreachable(NodeId node) {
    leaders.values().removeIf(node::equals);
    suspect(node);
  }

  /** Called when a node cannot serve at the moment: other nodes are preferred to it for a while. */
  public void suspect(NodeId node) {
    suspects.failed(node, nanoClock.getAsLong());
  }

  /** Called when a node has responded with a result. */
  public void responded(NodeId node) {
    suspects.responded(node);
  }

  /** Whether the node is in the present topology. */
  public boolean contains(NodeId node) {
    return topology.isPresent() && topology.get().nodes().containsKey(node);
  }

  /**
   * Chooses the node for the next attempt at a request to the region.
   *
   * @param forReplicas whether any replica accepts the request; then the leader comes last, because
   *     it has the load of the writes
   * @param after the node at which the previous attempt failed, if any; it is chosen only if there
   *     is no other
   * @param reachable whether a node can be sent a request at the moment
   */
  public NodeId choose(
      RegionDescriptor region,
      boolean forReplicas,
      Optional<NodeId> after,
      Predicate<NodeId> reachable) {
    if (leadersOnly() && !forReplicas) {
      NodeId leader = leaders.get(region.id());
      if (leader != null
          && !after.equals(Optional.of(leader))
          && contains(leader)
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
            .orElseGet(() -> startIndex(followers, 0));
    Predicate<NodeId> usable = node -> !after.equals(Optional.of(node)) && reachable.test(node);
    List<NodeId> ordered = leaderLast(region, from(followers, start));
    return ordered.stream()
        .filter(usable.and(node -> suspects.admits(node, nanoClock.getAsLong())))
        .findFirst()
        .or(() -> ordered.stream().filter(usable).findFirst())
        .orElse(ordered.get(0));
  }

  /**
   * Returns the replicas of a region in the order in which a quorum read queries them: the nearest
   * first; without a nearest node, a different one first each time; with adaptive reads, in the
   * order of their measured latency. The leader follows the other replicas, and suspected or
   * unreachable replicas come last.
   *
   * @param reachable whether a node can be sent a request at the moment
   */
  public List<NodeId> order(RegionDescriptor region, Predicate<NodeId> reachable) {
    List<NodeId> followers = withoutLeader(region);
    List<NodeId> rotated = from(followers, startIndex(followers, rotation++));
    List<NodeId> ordered =
        leaderLast(region, isAdaptive() ? selector.order(rotated, nanoClock.getAsLong()) : rotated);
    Map<Boolean, List<NodeId>> likely =
        ordered.stream().collect(Collectors.partitioningBy(reachable.and(this::isTrusted)));
    List<NodeId> order = new ArrayList<>(likely.get(true));
    order.addAll(likely.get(false));
    return order;
  }

  /** The index, modulo the number of replicas, of the first replica. */
  private int startIndex(List<NodeId> replicas, int rotation) {
    return nearest
        .map(replicas::indexOf)
        .filter(index -> index >= 0)
        .orElseGet(() -> preference + rotation);
  }

  /** The leader of a region, if it is known. */
  public Optional<NodeId> leader(GroupId region) {
    return Optional.ofNullable(leaders.get(region)).filter(this::contains);
  }

  /** Records the latency of a read reply and the load that the replica reported. */
  public void recordLatency(NodeId node, long nanos, int load) {
    selector.responded(node, nanos, load, nanoClock.getAsLong());
  }

  private boolean isAdaptive() {
    return topology
        .flatMap(present -> present.reads().mix())
        .map(ReadBalancer.Policy::adaptive)
        .orElse(false);
  }

  /** The replicas without the leader, if there is a leader and it is known. */
  private List<NodeId> withoutLeader(RegionDescriptor region) {
    Optional<NodeId> leader = leadersOnly() ? leader(region.id()) : Optional.empty();
    List<NodeId> followers =
        region.replicas().stream().filter(node -> !leader.equals(Optional.of(node))).toList();
    return followers.isEmpty() ? region.replicas() : followers;
  }

  /** Returns the order with the leader appended, if it is not in the order. */
  private List<NodeId> leaderLast(RegionDescriptor region, List<NodeId> order) {
    List<NodeId> whole = new ArrayList<>(order);
    region.replicas().stream().filter(node -> !order.contains(node)).forEach(whole::add);
    return whole;
  }

  private boolean isTrusted(NodeId node) {
    return !suspects.isSuspected(node, nanoClock.getAsLong());
  }

  private static List<NodeId> from(List<NodeId> replicas, int start) {
    List<NodeId> rotated = new ArrayList<>(replicas);
    Collections.rotate(rotated, -Math.floorMod(start, replicas.size()));
    return rotated;
  }

  private boolean leadersOnly() {
    return topology.isPresent() && topology.get().leadersOnly();
  }
}

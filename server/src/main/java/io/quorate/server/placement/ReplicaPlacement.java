package io.quorate.server.placement;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.Bootstrap;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Distributes replicas over the nodes by their {@link NodeLoads}. One object decides on one
 * picture; no side effects.
 *
 * <p>Replicas leave nodes that are draining or have lost them; one leaves if the devices of most
 * replicas of its region are slow, because no leader can then commit fast. Then missing replicas
 * are added. Then, unless the policy is {@code none}, replicas move from nodes with more load to
 * those with less, the coldest region first, until no move makes the loads more equal. No replica
 * leaves a node that responds before it has applied the splits from which others begin there. No
 * change puts two replicas of a region on one node, and none but a departure reduces the {@link
 * Diversity} of a region.
 */
final class ReplicaPlacement {
  /** A limit for predictions: far more changes than a cluster can need. */
  private static final int CHANGES_PER_REPLICA_MAX = 4;

  private final ClusterPicture picture;
  private final StoredTopology topology;
  private final NodeLoads loads;
  private final List<NodeId> receivers;
  private final List<RegionAssignment> stable;
  private final Policy policy;

  /** The receiver with the least load. */
  private final Optional<NodeId> lightest;

  private ReplicaPlacement(ClusterPicture picture, Policy policy) {
    this.picture = picture;
    this.topology = picture.topology();
    this.loads = NodeLoads.of(picture, policy);
    this.receivers = picture.receivers();
    this.stable = topology.assignments().stream().filter(RegionAssignment::isStable).toList();
    this.policy = policy;
    this.lightest = receivers.stream().min(Comparator.comparing(loads::load));
  }

  /**
   * The changes that are to be planned next.
   *
   * @param changesMax the most regions whose replicas change at the same time
   */
  static List<RegionChange> next(ClusterPicture picture, Policy policy, int changesMax) {
    List<RegionChange> changes = new ArrayList<>();
    ClusterPicture present = picture;
    while (present.changesUnderWay() < changesMax) {
      Optional<RegionChange> change = new ReplicaPlacement(present, policy).nextChange();
      if (change.isEmpty()) {
        break;
      }
      changes.add(change.get());
      present = present.with(change.get().planned(present.topology()));
    }
    return changes;
  }

  /**
   * The changes until nothing is left to change, if every node stays as it is: those that are
   * planned, then the next ones in their order.
   */
  static List<RegionChange> predict(ClusterPicture picture, Policy policy) {
    List<RegionChange> changes = new ArrayList<>();
    StoredTopology predicted = picture.topology();
    for (RegionAssignment region : predicted.assignments()) {
      if (region.change().isPresent()) {
        changes.add(new RegionChange(region.id(), region.change().get(), "under way"));
        predicted = predicted.with(region.changed());
      }
    }
    int limit =
        CHANGES_PER_REPLICA_MAX
            * (1 + predicted.assignments().stream().mapToInt(r -> r.replicas().size()).sum());
    for (int i = 0; i < limit; i++) {
      Optional<RegionChange> change =
          new ReplicaPlacement(picture.with(predicted), policy).nextChange();
      if (change.isEmpty()) {
        break;
      }
      changes.add(change.get());
      predicted = change.get().completed(predicted);
    }
    return changes;
  }

  private Optional<RegionChange> nextChange() {
    return first(this::departure)
        .or(() -> first(this::addition))
        .or(() -> policy == Policy.NONE ? Optional.empty() : evacuation().or(this::balancingMove));
  }

  private Optional<RegionChange> first(Function<RegionAssignment, Optional<RegionChange>> rule) {
    return stable.stream().flatMap(region -> rule.apply(region).stream()).findFirst();
  }

  /** A replica leaves a node that is draining, or has lost it. */
  private Optional<RegionChange> departure(RegionAssignment region) {
    Optional<NodeId> leaving =
        region.replicas().stream()
            .filter(node -> isLeaving(node) || isToRepair(region, node))
            .filter(node -> !picture.isUnsplit(region.id(), node))
            .findFirst();
    if (leaving.isEmpty()) {
      return Optional.empty();
    }
    NodeId from = leaving.get();
    Set<NodeId> staying = new HashSet<>(region.replicas());
    staying.remove(from);
    // Region 0 has no fixed number of replicas.
    boolean isSpare = isMetadata(region) && staying.size() >= replicasWanted(region);
    String reason = from + (isLeaving(from) ? " is draining" : " has lost it");
    return receiver(region, staying)
        .map(to -> ReplicaChange.move(from, to))
        .or(
            () ->
                isSpare || isToRepair(region, from)
                    ? Optional.of(ReplicaChange.remove(from))
                    : Optional.empty())
        .map(change -> new RegionChange(region.id(), change, reason));
  }

  private boolean isLeaving(NodeId node) {
    return topology.node(node).map(NodeEntry::isDraining).orElse(true);
  }

  /**
   * Whether the node has lost its replica, and a majority of the replicas is well, which a change
   * takes: on nodes that respond and have not lost them. Those that are down may not come back, and
   * the lost one may.
   */
  private boolean isToRepair(RegionAssignment region, NodeId node) {
    long well =
        region.replicas().stream()
            .filter(each -> picture.responding().contains(each) && !picture.isLost(region, each))
            .count();
    return picture.isLost(region, node) && 2 * well > region.replicas().size();
  }

  /** A replica is added where some are missing. */
  private Optional<RegionChange> addition(RegionAssignment region) {
    return region.replicas().size() < replicasWanted(region)
        ? receiver(region, Set.copyOf(region.replicas()))
            .map(to -> new RegionChange(region.id(), ReplicaChange.add(to), "a replica is missing"))
        : Optional.empty();
  }

  /** The number of replicas that a region is to have with the present nodes. */
  private int replicasWanted(RegionAssignment region) {
    int replicas = isMetadata(region) ? Bootstrap.METADATA_REPLICAS_MAX : topology.replicas();
    return ClusterStatus.replicasWanted(replicas, activeNodes(topology));
  }

  private static boolean isMetadata(RegionAssignment region) {
    return region.id().equals(RegionAssignment.METADATA);
  }

  /** The number of nodes that may have replicas. */
  static int activeNodes(StoredTopology topology) {
    return (int) topology.nodes().stream().filter(node -> !node.isDraining()).count();
  }

  /**
   * A replica leaves a slow device of a region that has most of its replicas on such: whichever
   * leads, a commit needs one of them. The leader moves by itself, to the replica that is well.
   */
  private Optional<RegionChange> evacuation() {
    return first(
        region -> {
          List<NodeId> slow =
              region.replicas().stream().filter(node -> picture.device(node).isSlow()).toList();
          if (2 * slow.size() <= region.replicas().size()) {
            return Optional.empty();
          }
          Optional<NodeId> leaving =
              slow.stream()
                  .filter(node -> !picture.isUnsplit(region.id(), node))
                  .min(Comparator.comparing(node -> picture.isLeader(region.id(), node)));
          if (leaving.isEmpty()) {
            return Optional.empty();
          }
          NodeId from = leaving.get();
          return receiver(region, staying(region, from))
              .filter(to -> !picture.device(to).isSlow() && loads.hasRoom(to, region.id()))
              .map(
                  to ->
                      new RegionChange(
                          region.id(),
                          ReplicaChange.move(from, to),
                          "most of its replicas are on slow devices, so another leader does not"
                              + " help"));
        });
  }

  /**
   * A replica moves from a node with more load to one with less: between the two with the greatest
   * difference; of the regions that can move there, the one with the fewest requests.
   */
  private Optional<RegionChange> balancingMove() {
    Optional<RegionChange> best = Optional.empty();
    double bestDifference = 0;
    double bestRate = 0;
    for (RegionAssignment region : stable) {
      for (NodeId from : isMetadata(region) ? List.<NodeId>of() : region.replicas()) {
        if (!mayGive(region, from, bestDifference)) {
          continue;
        }
        Set<NodeId> staying = staying(region, from);
        Diversity present = Diversity.of(region.replicas(), topology);
        Optional<NodeId> to =
            receiver(region, staying)
                .filter(node -> loads.improves(region.id(), from, node))
                .filter(node -> loads.hasRoom(node, region.id()))
                .filter(node -> !picture.device(node).isSlow())
                .filter(node -> with(staying, node).compareTo(present) >= 0);
        if (to.isEmpty()) {
          continue;
        }
        double difference = loads.load(from) - loads.load(to.get());
        double rate = picture.rates().getOrDefault(region.id(), 0.0);
        if (difference > bestDifference || difference == bestDifference && rate < bestRate) {
          bestDifference = difference;
          bestRate = rate;
          best =
              Optional.of(
                  new RegionChange(
                      region.id(),
                      ReplicaChange.move(from, to.get()),
                      loads.reason(region.id(), from, to.get())));
        }
      }
    }
    return best;
  }

  /**
   * Whether the region may leave the node, and could leave it for the one with the least load, with
   * a difference between the two as great as that of the best move so far: a cheap filter. No
   * replica leaves a node that does not respond only to make loads equal: what the node has yet to
   * apply is not known.
   */
  private boolean mayGive(RegionAssignment region, NodeId from, double bestDifference) {
    if (!picture.responding().contains(from)
        || picture.isUnsplit(region.id(), from)
        || picture.device(from).isSlow()) {
      return false;
    }
    return lightest
        .filter(node -> loads.load(from) - loads.load(node) >= bestDifference)
        .filter(node -> loads.improves(region.id(), from, node))
        .isPresent();
  }

  private static Set<NodeId> staying(RegionAssignment region, NodeId leaving) {
    Set<NodeId> staying = new HashSet<>(region.replicas());
    staying.remove(leaving);
    return staying;
  }

  /**
   * The node that is to receive a replica: of those whose devices are well and have room, or of all
   * if there is none, those that give the greatest diversity, and of these the one with the least
   * load.
   *
   * @param staying the nodes with the region's other replicas
   */
  private Optional<NodeId> receiver(RegionAssignment region, Set<NodeId> staying) {
    return receivers.stream()
        .filter(node -> !region.replicas().contains(node))
        .min(
            Comparator.comparing((NodeId node) -> picture.device(node).isSlow())
                .thenComparing(node -> !loads.hasRoom(node, region.id()))
                .thenComparing(node -> with(staying, node), Comparator.<Diversity>reverseOrder())
                .thenComparing(node -> loads.loadWith(node, region.id()))
                .thenComparing(NodeId::value));
  }

  private Diversity with(Set<NodeId> staying, NodeId node) {
    Set<NodeId> replicas = new HashSet<>(staying);
    replicas.add(node);
    return Diversity.of(replicas, topology);
  }
}

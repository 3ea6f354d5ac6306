package io.quorate.server.placement;

import io.quorate.consensus.NodeId;
import io.quorate.server.topology.Bootstrap;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Distributes replicas evenly over the nodes, by their number (policy {@code ed} of the ALOR
 * paper). One object decides on one picture; no side effects.
 *
 * <p>Replicas leave nodes that are draining or have lost them, then missing replicas are added,
 * then replicas move from the nodes with the most to those with the fewest, until the numbers
 * differ by one at most. No change puts two replicas of a region on one node, and none but a
 * departure reduces the {@link Diversity} of a region.
 */
final class EvenPlacement {
  /** A limit for predictions: far more changes than a cluster can need. */
  private static final int CHANGES_PER_REPLICA_MAX = 4;

  /** Fewer replicas have no majority without the one that is lost. */
  private static final int REPLICAS_MIN_TO_REPAIR = 3;

  private final ClusterPicture picture;
  private final StoredTopology topology;
  private final Map<NodeId, Integer> counts;
  private final List<NodeId> receivers;
  private final List<RegionAssignment> stable;
  private final boolean balances;

  private EvenPlacement(ClusterPicture picture, boolean balances) {
    this.picture = picture;
    this.topology = picture.topology();
    this.counts = picture.replicasByNode();
    this.receivers = picture.receivers();
    this.stable = topology.assignments().stream().filter(RegionAssignment::isStable).toList();
    this.balances = balances;
  }

  /**
   * The changes that are to be planned next.
   *
   * @param changesMax the most regions whose replicas change at the same time
   * @param balances whether replicas move only to make the numbers equal
   */
  static List<RegionChange> next(ClusterPicture picture, int changesMax, boolean balances) {
    List<RegionChange> changes = new ArrayList<>();
    ClusterPicture present = picture;
    while (present.changesUnderWay() < changesMax) {
      Optional<RegionChange> change = new EvenPlacement(present, balances).nextChange();
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
   *
   * @param balances as {@link #next}
   */
  static List<RegionChange> predict(ClusterPicture picture, boolean balances) {
    List<RegionChange> changes = new ArrayList<>();
    StoredTopology predicted = picture.topology();
    for (RegionAssignment region : predicted.assignments()) {
      if (region.change().isPresent()) {
        changes.add(new RegionChange(region.id(), region.change().get()));
        predicted = predicted.with(region.changed());
      }
    }
    int limit =
        CHANGES_PER_REPLICA_MAX
            * (1 + predicted.assignments().stream().mapToInt(r -> r.replicas().size()).sum());
    for (int i = 0; i < limit; i++) {
      Optional<RegionChange> change =
          new EvenPlacement(picture.with(predicted), balances).nextChange();
      if (change.isEmpty()) {
        break;
      }
      changes.add(change.get());
      predicted = change.get().completed(predicted);
    }
    return changes;
  }

  private Optional<RegionChange> nextChange() {
    return stable.stream()
        .flatMap(region -> departure(region).stream())
        .findFirst()
        .or(() -> stable.stream().flatMap(region -> addition(region).stream()).findFirst())
        .or(() -> balances ? balancingMove() : Optional.empty());
  }

  /** A replica leaves a node that is draining, or has lost it. */
  private Optional<RegionChange> departure(RegionAssignment region) {
    Optional<NodeId> leaving =
        region.replicas().stream()
            .filter(
                node ->
                    topology.node(node).map(NodeEntry::isDraining).orElse(true)
                        || isToRepair(region, node))
            .findFirst();
    if (leaving.isEmpty()) {
      return Optional.empty();
    }
    NodeId from = leaving.get();
    Set<NodeId> staying = new HashSet<>(region.replicas());
    staying.remove(from);
    // Region 0 has no fixed number of replicas.
    boolean isSpare =
        region.id().equals(RegionAssignment.METADATA) && staying.size() >= replicasWanted(region);
    return receiver(region, staying)
        .map(to -> ReplicaChange.move(from, to))
        .or(
            () ->
                isSpare || isToRepair(region, from)
                    ? Optional.of(ReplicaChange.remove(from))
                    : Optional.empty())
        .map(change -> new RegionChange(region.id(), change));
  }

  private boolean isToRepair(RegionAssignment region, NodeId node) {
    return region.replicas().size() >= REPLICAS_MIN_TO_REPAIR && picture.isLost(region, node);
  }

  /** A replica is added where some are missing. */
  private Optional<RegionChange> addition(RegionAssignment region) {
    return region.replicas().size() < replicasWanted(region)
        ? receiver(region, Set.copyOf(region.replicas()))
            .map(to -> new RegionChange(region.id(), ReplicaChange.add(to)))
        : Optional.empty();
  }

  /**
   * The number of replicas that a region is to have with the present nodes. While there are too few
   * nodes, it is odd: an even number tolerates no more failures than one replica fewer.
   */
  private int replicasWanted(RegionAssignment region) {
    int nodes = activeNodes(topology);
    if (isMetadata(region)) {
      return odd(Math.min(Bootstrap.METADATA_REPLICAS_MAX, nodes));
    }
    return nodes >= topology.replicas() ? topology.replicas() : odd(nodes);
  }

  private static boolean isMetadata(RegionAssignment region) {
    return region.id().equals(RegionAssignment.METADATA);
  }

  /** The number of nodes that may have replicas. */
  static int activeNodes(StoredTopology topology) {
    return (int) topology.nodes().stream().filter(node -> !node.isDraining()).count();
  }

  private static int odd(int replicas) {
    return replicas % 2 == 0 ? Math.max(1, replicas - 1) : replicas;
  }

  /** A replica moves from a node that has at least two more than another one. */
  private Optional<RegionChange> balancingMove() {
    Optional<RegionChange> best = Optional.empty();
    int bestDifference = 1;
    for (RegionAssignment region : stable) {
      for (NodeId from : isMetadata(region) ? List.<NodeId>of() : region.replicas()) {
        // The nodes with the fewest replicas cannot have two more than others.
        if (counts.get(from) - fewest() <= bestDifference) {
          continue;
        }
        Set<NodeId> staying = new HashSet<>(region.replicas());
        staying.remove(from);
        Diversity present = Diversity.of(region.replicas(), topology);
        Optional<NodeId> to =
            receiver(region, staying).filter(node -> with(staying, node).compareTo(present) >= 0);
        int difference = to.map(node -> counts.get(from) - counts.get(node)).orElse(0);
        if (difference > bestDifference) {
          bestDifference = difference;
          best = Optional.of(new RegionChange(region.id(), ReplicaChange.move(from, to.get())));
        }
      }
    }
    return best;
  }

  private int fewest() {
    return receivers.stream().mapToInt(counts::get).min().orElse(Integer.MAX_VALUE);
  }

  /**
   * The node that is to receive a replica: of those that give the greatest diversity, the one with
   * the fewest replicas.
   *
   * @param staying the nodes with the region's other replicas
   */
  private Optional<NodeId> receiver(RegionAssignment region, Set<NodeId> staying) {
    return receivers.stream()
        .filter(node -> !region.replicas().contains(node))
        .min(
            Comparator.comparing(
                    (NodeId node) -> with(staying, node), Comparator.<Diversity>reverseOrder())
                .thenComparing(counts::get)
                .thenComparing(NodeId::value));
  }

  private Diversity with(Set<NodeId> staying, NodeId node) {
    Set<NodeId> replicas = new HashSet<>(staying);
    replicas.add(node);
    return Diversity.of(replicas, topology);
  }
}

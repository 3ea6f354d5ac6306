package io.quorate.server.placement;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import java.util.List;
import java.util.Optional;

/**
 * Something that placement has decided or observed of one region.
 *
 * @param phase what has become of the change
 * @param from the node with the replica; empty if there is none
 * @param to the node that is to have it; empty if there is none
 * @param reason why; no sentence
 */
record PlacementEvent(
    Phase phase,
    Kind kind,
    GroupId region,
    Optional<NodeId> from,
    Optional<NodeId> to,
    String reason) {
  enum Phase {
    PLANNED,
    COMPLETED,
    /** It is not carried out, or is undone. */
    WITHDRAWN
  }

  enum Kind {
    ADD,
    MOVE,
    REMOVE,
    SPLIT,
    MERGE,
    TRANSFER;

    private static Kind of(ReplicaChange change) {
      return change.from().isEmpty() ? ADD : change.to().isEmpty() ? REMOVE : MOVE;
    }
  }

  static PlacementEvent planned(RegionChange change) {
    return of(Phase.PLANNED, change.region(), change.change(), change.reason());
  }

  /**
   * @param members the nodes of the members of the region's group after the change
   */
  static PlacementEvent completed(RegionAssignment region, List<NodeId> members) {
    List<NodeId> replicas = region.wanted(members);
    return of(
        Phase.COMPLETED,
        region.id(),
        region.change().orElseThrow(),
        replicas.equals(region.replicasAfterChange())
            ? ""
            : "the group had changed already, and keeps its members " + replicas);
  }

  static PlacementEvent withdrawn(GroupId region, ReplicaChange change) {
    return of(
        Phase.WITHDRAWN,
        region,
        change,
        change
            .to()
            .map(node -> "node " + node + " does not respond, or is too slow")
            .orElseGet(() -> "node " + change.from().orElseThrow() + " has it again"));
  }

  private static PlacementEvent of(
      Phase phase, GroupId region, ReplicaChange change, String reason) {
    return new PlacementEvent(phase, Kind.of(change), region, change.from(), change.to(), reason);
  }

  static PlacementEvent planned(GroupId region, PlannedSplit split, String why) {
    return of(
        Phase.PLANNED,
        Kind.SPLIT,
        region,
        why + "; region " + split.child() + " begins at " + split.at());
  }

  static PlacementEvent completed(GroupId region, PlannedSplit split) {
    return of(
        Phase.COMPLETED,
        Kind.SPLIT,
        region,
        "region " + split.child() + " begins at " + split.at());
  }

  /**
   * The end of a merge, as one of its regions has confirmed it.
   *
   * @param region the one that has absorbed the other, or that was too large to be absorbed
   */
  static PlacementEvent ended(RegionAssignment region, PlannedMerge merge) {
    return region.isToBeAbsorbed()
        ? of(
            Phase.WITHDRAWN,
            Kind.MERGE,
            merge.into(),
            "region " + merge.absorbed() + " is too large to be absorbed")
        : of(
            Phase.COMPLETED,
            Kind.MERGE,
            merge.into(),
            "it has the keys of region " + merge.absorbed());
  }

  private static PlacementEvent of(Phase phase, Kind kind, GroupId region, String reason) {
    return new PlacementEvent(phase, kind, region, Optional.empty(), Optional.empty(), reason);
  }

  static PlacementEvent planned(Transfer transfer) {
    return new PlacementEvent(
        Phase.PLANNED,
        Kind.TRANSFER,
        transfer.region(),
        Optional.of(transfer.from()),
        Optional.of(transfer.to()),
        transfer.reason());
  }

  /** Whether both are about the same change. */
  boolean isOf(PlacementEvent other) {
    return kind == other.kind
        && region.equals(other.region)
        && from.equals(other.from)
        && to.equals(other.to);
  }
}

package io.quorate.server.placement;

import io.quorate.server.config.PlacementConfig;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * One decision on the stored topology: which changes are complete, which are taken back, and which
 * are planned next. Pure.
 *
 * @param next the topology after the step; the former one if nothing changes
 * @param events what happens, in their order
 */
record PlacementStep(StoredTopology next, List<PlacementEvent> events) {

  /**
   * @param limits what a split needs
   * @param confirmed which regions have carried out their planned change in its epoch
   * @param isStalled which regions' planned changes have not been received for so long that they
   *     are taken back
   */
  static PlacementStep of(
      ClusterPicture picture,
      PlacementConfig config,
      SplitLimits limits,
      Predicate<RegionAssignment> confirmed,
      Predicate<RegionAssignment> isStalled) {
    StoredTopology next = picture.topology();
    List<PlacementEvent> events = new ArrayList<>();
    for (RegionAssignment region : picture.topology().assignments()) {
      if (region.split().isPresent() && confirmed.test(region)) {
        next = next.divided(region.id());
        events.add(PlacementEvent.completed(region.id(), region.split().get()));
      }
      if (region.merge().isPresent() && confirmed.test(region)) {
        // The replicas of only one of the two regions can confirm it.
        next =
            region.isToBeAbsorbed()
                ? next.unmerged(region.merge().get())
                : next.merged(region.merge().get());
        events.add(PlacementEvent.ended(region, region.merge().get()));
      }
      Optional<ReplicaChange> change = region.change();
      if (change.isEmpty()) {
        continue;
      }
      if (confirmed.test(region)) {
        next = next.with(region.changed());
        events.add(PlacementEvent.completed(region.id(), change.get()));
      } else if (change.get().to().isPresent() && isStalled.test(region)) {
        next = next.with(region.withdrawn());
        events.add(PlacementEvent.withdrawn(region.id(), change.get()));
      }
    }
    for (RegionChange change :
        ReplicaPlacement.next(picture.with(next), config.policy(), config.changesMax())) {
      next = change.planned(next);
      events.add(PlacementEvent.planned(change));
    }
    StoredTopology divided = Splits.next(picture.with(next), config.changesMax(), limits);
    for (RegionAssignment region : divided.assignments()) {
      Optional<PlannedSplit> split = region.split();
      if (split.isPresent() && !next.assignment(region.id()).equals(Optional.of(region))) {
        events.add(PlacementEvent.planned(region.id(), split.get()));
      }
    }
    return new PlacementStep(divided, events);
  }

  boolean isEmpty() {
    return events.isEmpty();
  }
}

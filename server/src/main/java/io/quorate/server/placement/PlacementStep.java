package io.quorate.server.placement;

import io.quorate.consensus.NodeId;
import io.quorate.server.config.PlacementConfig;
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
 * @param events what happens, in sentences for the log
 */
record PlacementStep(StoredTopology next, List<String> events) {

  /**
   * @param confirmed which regions have carried out their planned change in its epoch
   * @param isSilent which nodes have not responded for so long that no replica is added there
   */
  static PlacementStep of(
      ClusterPicture picture,
      PlacementConfig config,
      Predicate<RegionAssignment> confirmed,
      Predicate<NodeId> isSilent) {
    StoredTopology next = picture.topology();
    List<String> events = new ArrayList<>();
    for (RegionAssignment region : picture.topology().assignments()) {
      if (region.split().isPresent() && confirmed.test(region)) {
        next = next.divided(region.id());
        events.add(
            "Region %s is split at %s; region %s has the keys from there on"
                .formatted(region.id(), region.split().get().at(), region.split().get().child()));
      }
      Optional<ReplicaChange> change = region.change();
      if (change.isEmpty()) {
        continue;
      }
      if (confirmed.test(region)) {
        next = next.with(region.changed());
        events.add("Completed the " + change.get() + " of a replica of region " + region.id());
      } else if (change.get().to().filter(isSilent).isPresent()) {
        next = next.with(region.withdrawn());
        events.add(
            "Took back the %s of a replica of region %s, because node %s does not respond"
                .formatted(change.get(), region.id(), change.get().to().get()));
      }
    }
    for (RegionChange change :
        EvenPlacement.next(
            picture.with(next),
            config.changesMax(),
            config.policy() == PlacementConfig.Policy.ED)) {
      next = change.planned(next);
      events.add("Planned the " + change.change() + " of a replica of region " + change.region());
    }
    StoredTopology divided =
        Splits.next(picture.with(next), config.changesMax(), config.replicasMax());
    for (RegionAssignment region : divided.assignments()) {
      if (region.split().isPresent() && !next.assignment(region.id()).equals(Optional.of(region))) {
        events.add(
            "Planned the split of region %s at %s, because it is large"
                .formatted(region.id(), region.split().get().at()));
      }
    }
    return new PlacementStep(divided, events);
  }

  boolean isEmpty() {
    return events.isEmpty();
  }
}

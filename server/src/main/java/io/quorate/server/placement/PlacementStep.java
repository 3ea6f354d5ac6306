package io.quorate.server.placement;

import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
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
   * @param needed what each node of a region that splits must support
   * @param confirmed the nodes of the members of a region's group, if it has carried out what is
   *     planned, in its epoch
   * @param isStalled which regions' planned changes have not been received for so long that they
   *     are taken back
   * @param isBack in which regions the node whose replica is to be removed has it, and no leader
   *     reports it as lost
   */
  static PlacementStep of(
      ClusterPicture picture,
      PlacementConfig config,
      RangeSupport needed,
      Function<RegionAssignment, Optional<List<NodeId>>> confirmed,
      Predicate<RegionAssignment> isStalled,
      Predicate<RegionAssignment> isBack) {
    StoredTopology next = picture.topology();
    List<PlacementEvent> events = new ArrayList<>();
    for (RegionAssignment region : picture.topology().assignments()) {
      Optional<List<NodeId>> members = confirmed.apply(region);
      if (members.isPresent()) {
        next = completed(next, region, members.get(), events);
      } else if (region.receiver().isPresent() && isStalled.test(region)
          || isRemovedInVain(picture, region) && isBack.test(region)) {
        next = next.with(region.withdrawn());
        events.add(PlacementEvent.withdrawn(region.id(), region.change().get()));
      }
    }
    for (RegionChange change :
        ReplicaPlacement.next(picture.with(next), config.policy(), config.changesMax())) {
      next = change.planned(next);
      events.add(PlacementEvent.planned(change));
    }
    Splits.Planned divided = Splits.next(picture.with(next), config, needed);
    events.addAll(divided.events());
    return new PlacementStep(divided.next(), events);
  }

  /** Whether a replica is to be removed for no other reason than that it was lost. */
  private static boolean isRemovedInVain(ClusterPicture picture, RegionAssignment region) {
    return region
        .removed()
        .flatMap(picture.topology()::node)
        .filter(node -> !node.isDraining())
        .filter(node -> !picture.isLost(region, node.id()))
        .isPresent();
  }

  private static StoredTopology completed(
      StoredTopology topology,
      RegionAssignment region,
      List<NodeId> members,
      List<PlacementEvent> events) {
    if (region.split().isPresent()) {
      events.add(PlacementEvent.completed(region.id(), region.split().get()));
      return topology.divided(region.id());
    }
    if (region.merge().isPresent()) {
      // The replicas of only one of the two regions can confirm it.
      PlannedMerge merge = region.merge().get();
      events.add(PlacementEvent.ended(region, merge));
      return region.isToBeAbsorbed() ? topology.unmerged(merge) : topology.merged(merge);
    }
    if (region.change().isPresent()) {
      events.add(PlacementEvent.completed(region, members));
      return topology.with(region.changed(members));
    }
    return topology;
  }

  boolean isEmpty() {
    return events.isEmpty();
  }
}

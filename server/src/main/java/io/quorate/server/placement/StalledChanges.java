package io.quorate.server.placement;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.topology.RegionAssignment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * For how long the receivers of planned changes have not received: a node does not respond, or does
 * not open the replica, or its device is slow while another node could receive it. One thread.
 */
final class StalledChanges {
  private record Plan(GroupId region, RegionEpoch epoch) {
    static Plan of(RegionAssignment region) {
      return new Plan(region.id(), region.epoch());
    }
  }

  private final Map<Plan, Long> sinceNanos = new HashMap<>();

  /**
   * Records an observation.
   *
   * @param isOpen whether the node that is to receive a replica of a region reports it as open, in
   *     the epoch of the plan
   * @param nowNanos as {@link System#nanoTime}
   */
  void observed(ClusterPicture picture, Predicate<RegionAssignment> isOpen, long nowNanos) {
    Set<Plan> stalled = new HashSet<>();
    for (RegionAssignment region : picture.topology().assignments()) {
      region
          .receiver()
          .filter(to -> !isOpen.test(region) || isSlowBesideOthers(picture, region, to))
          .ifPresent(to -> stalled.add(Plan.of(region)));
    }
    sinceNanos.keySet().retainAll(stalled);
    stalled.forEach(plan -> sinceNanos.putIfAbsent(plan, nowNanos));
  }

  private static boolean isSlowBesideOthers(
      ClusterPicture picture, RegionAssignment region, NodeId to) {
    return picture.device(to).isSlow()
        && picture.receivers().stream()
            .anyMatch(other -> !region.isOn(other) && !picture.device(other).isSlow());
  }

  /** Whether the planned change has been stalled for this long. */
  boolean isStalled(RegionAssignment region, long durationNanos, long nowNanos) {
    Long since = sinceNanos.get(Plan.of(region));
    return since != null && nowNanos - since >= durationNanos;
  }

  void clear() {
    sinceNanos.clear();
  }
}

package io.quorate.server.placement;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.server.topology.RegionAssignment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Distributes the leaderships of regions evenly over the nodes, by their number. */
final class LeaderSpread {
  private LeaderSpread() {}

  /** A transfer of the leadership of a region. */
  record Transfer(GroupId region, NodeId to) {}

  /**
   * The next transfer: from a node to one with a replica that leads at least two regions fewer;
   * empty if there is none. Region 0 does not count, nor does a region whose replicas change or
   * that is to be split.
   */
  static Optional<Transfer> next(ClusterPicture picture) {
    List<NodeId> receivers = picture.receivers();
    List<RegionAssignment> regions =
        picture.topology().regions().regions().stream()
            .filter(region -> picture.leaders().containsKey(region.id()))
            .toList();
    Map<NodeId, Integer> counts = new HashMap<>();
    regions.forEach(region -> counts.merge(leader(picture, region), 1, Integer::sum));
    Optional<Transfer> best = Optional.empty();
    int bestDifference = 1;
    for (RegionAssignment region : regions) {
      for (NodeId to : region.isStable() ? region.replicas() : List.<NodeId>of()) {
        int difference = counts.get(leader(picture, region)) - counts.getOrDefault(to, 0);
        if (difference > bestDifference && receivers.contains(to)) {
          bestDifference = difference;
          best = Optional.of(new Transfer(region.id(), to));
        }
      }
    }
    return best;
  }

  private static NodeId leader(ClusterPicture picture, RegionAssignment region) {
    return picture.leaders().get(region.id());
  }
}

package io.quorate.server.placement;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeReport;
import io.quorate.client.NodeState;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Key;
import io.quorate.consensus.NodeId;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Plans splits of regions. Pure. */
final class Splits {
  /** As for the first regions of a cluster. */
  private static final int REGIONS_MAX = 4096;

  private Splits() {}

  /** The nodes that have just reported that their version can split regions. */
  static Set<NodeId> capable(ClusterStatus status) {
    return status.nodes().stream()
        .map(NodeReport::state)
        .flatMap(Optional::stream)
        .filter(NodeState::splitsRegions)
        .map(NodeState::id)
        .collect(Collectors.toSet());
  }

  /**
   * The topology in which the next regions that are too large are to be split.
   *
   * @param splitsMax the most splits that are planned at the same time
   */
  static StoredTopology next(ClusterPicture picture, int splitsMax) {
    StoredTopology next = picture.topology();
    long planned = next.assignments().stream().filter(each -> each.split().isPresent()).count();
    for (RegionAssignment region : next.regions().regions()) {
      Optional<Key> at =
          Optional.ofNullable(picture.splitKeys().get(region.id()))
              .filter(key -> region.isStable() && isWithin(key, region));
      if (at.isPresent()
          && planned < splitsMax
          && next.regions().regions().size() + planned < REGIONS_MAX) {
        next = plan(next, at.get());
        planned++;
      }
    }
    return next;
  }

  /** A report may be from before the last split. */
  private static boolean isWithin(Key at, RegionAssignment region) {
    return region.range().contains(at) && !region.range().start().equals(at);
  }

  /**
   * The topology in which the region that has a key is to be split there; the same one if a region
   * begins at the key, or is going to.
   *
   * @throws ConsensusException.Invalid if the key is empty
   * @throws ConsensusException.Unavailable while another change of the region is planned
   */
  static StoredTopology plan(StoredTopology topology, Key at) {
    if (at.equals(Key.EMPTY)) {
      throw new ConsensusException.Invalid("A region is split at a key of at least 1 byte.");
    }
    RegionAssignment region = topology.regions().byKey(at);
    boolean isPlanned = region.split().filter(split -> split.at().equals(at)).isPresent();
    if (isPlanned || region.range().start().equals(at)) {
      return topology;
    }
    if (!region.isStable()) {
      throw new ConsensusException.Unavailable(
          region.underWay().orElseThrow() + " is under way; try again when it is complete.");
    }
    return topology.with(region.planned(new PlannedSplit(at, topology.nextRegion())));
  }
}

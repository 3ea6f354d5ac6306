package io.quorate.server.placement;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Key;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;

/** Plans splits of regions. Pure. */
final class Splits {
  private Splits() {}

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

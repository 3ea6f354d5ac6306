package io.quorate.server.topology;

import io.quorate.consensus.ConsensusGroup;
import io.quorate.storage.RegionStore;

/**
 * This node's replica of a region.
 *
 * @param assignment the region that it is a replica of
 * @param group accepts writes and determines the read index of reads
 * @param store holds the rows
 * @param load counts the requests that this node receives for the region
 */
public record LocalReplica(
    RegionAssignment assignment, ConsensusGroup group, RegionStore store, RegionLoad load) {

  public LocalReplica(RegionAssignment assignment, ConsensusGroup group, RegionStore store) {
    this(assignment, group, store, new RegionLoad());
  }

  /** The same replica with another description of its region. */
  public LocalReplica assigned(RegionAssignment present) {
    return new LocalReplica(present, group, store, load);
  }
}

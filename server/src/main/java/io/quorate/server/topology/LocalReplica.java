package io.quorate.server.topology;

import io.quorate.consensus.ConsensusGroup;
import io.quorate.storage.RegionStore;

/**
 * This node's replica of a region.
 *
 * @param group accepts writes and determines the read index of reads
 * @param store holds the rows
 */
public record LocalReplica(RegionDescriptor descriptor, ConsensusGroup group, RegionStore store) {}

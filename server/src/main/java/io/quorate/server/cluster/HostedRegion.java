package io.quorate.server.cluster;

import io.quorate.consensus.ConsensusGroup;
import io.quorate.server.region.RegionDescriptor;
import io.quorate.storage.RegionStore;

/**
 * This node's replica of a region.
 *
 * @param group takes writes and says from where a read is safe
 * @param store holds the rows
 */
public record HostedRegion(RegionDescriptor descriptor, ConsensusGroup group, RegionStore store) {}

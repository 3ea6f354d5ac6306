package io.quorate.server.placement;

import io.quorate.client.wire.v1.SplitRegionResponse;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Key;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Serves the requests of operators to split regions, at the node whose replica of region 0 serves.
 * Any thread.
 */
public final class SplitRequests {
  private final ClusterTopology topology;
  private final SplitLimits limits;

  /**
   * @param topology learns of each plan at once
   */
  public SplitRequests(ClusterTopology topology, SplitLimits limits) {
    this.topology = topology;
    this.limits = limits;
  }

  /**
   * Plans the split of the region that has a key. May read the disk.
   *
   * @param metadata this node's replica of region 0, which serves
   * @param at the first key of the new region
   * @return completes when the split is planned; fails with {@link ConsensusException}
   */
  public CompletionStage<SplitRegionResponse> split(MetadataRegion metadata, Key at) {
    StoredTopology present = metadata.require();
    StoredTopology next = Splits.plan(present, at, limits);
    RegionAssignment region = next.regions().byKey(at);
    SplitRegionResponse response =
        SplitRegionResponse.newBuilder()
            .setRegion(region.split().map(PlannedSplit::child).orElse(region.id()).value())
            .build();
    if (next.equals(present)) {
      return CompletableFuture.completedFuture(response);
    }
    return PlannedTopology.store(metadata, present, next, topology).thenApply(stored -> response);
  }
}

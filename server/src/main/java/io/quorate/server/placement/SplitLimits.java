package io.quorate.server.placement;

import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.topology.RangeSupport;

/**
 * What keeps a region from being split.
 *
 * @param needed what each node of the region must support, as all replicas must know the command
 * @param replicasMax the most replicas of a node
 */
public record SplitLimits(RangeSupport needed, int replicasMax) {
  public static SplitLimits of(ServerConfig config) {
    return new SplitLimits(
        config.mode().replication() == ClusterMode.Replication.CODED
            ? RangeSupport.SPLITS
            : RangeSupport.SPLITS_OF_ROWS,
        config.placement().replicasMax());
  }
}

package io.quorate.server.placement;

import io.quorate.consensus.ConsensusException;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.StoredTopology;
import java.util.concurrent.CompletionStage;

/** Stores what is planned at the request of an operator. */
final class PlannedTopology {
  private PlannedTopology() {}

  /**
   * Replaces the stored topology. Otherwise as {@link MetadataRegion#replace}.
   *
   * @param topology learns of the next topology at once
   * @return fails with {@link ConsensusException.Unavailable} if another change was stored first
   */
  static CompletionStage<Void> store(
      MetadataRegion metadata,
      StoredTopology present,
      StoredTopology next,
      ClusterTopology topology) {
    return metadata
        .replace(present, next)
        .thenAccept(
            stored -> {
              if (!stored) {
                throw new ConsensusException.Unavailable(
                    "The topology has changed meanwhile; try again.");
              }
              topology.learn(next);
            });
  }
}

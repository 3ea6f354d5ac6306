package io.quorate.server.placement;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClusterStatus;
import io.quorate.client.wire.v1.SplitRegionResponse;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Key;
import io.quorate.consensus.NodeId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Serves the requests of operators to split regions, at the node whose replica of region 0 serves.
 * Any thread.
 */
public final class SplitRequests {
  private final ClusterTopology topology;
  private final AsyncQuorateClient client;
  private final boolean regionsSplit;
  private final int replicasMax;

  /**
   * @param topology learns of each plan at once
   * @param client requests the state of every node
   * @param regionsSplit whether regions can be split
   * @param replicasMax the most replicas of a node
   */
  public SplitRequests(
      ClusterTopology topology, AsyncQuorateClient client, boolean regionsSplit, int replicasMax) {
    this.topology = topology;
    this.client = client;
    this.regionsSplit = regionsSplit;
    this.replicasMax = replicasMax;
  }

  /**
   * Plans the split of the region that has a key. Does not block.
   *
   * @param metadata this node's replica of region 0, which serves
   * @param at the first key of the new region
   * @param readers execute what reads the disk
   * @return completes when the split is planned; fails with {@link ConsensusException}
   */
  public CompletionStage<SplitRegionResponse> split(
      MetadataRegion metadata, Key at, Executor readers) {
    if (!regionsSplit) {
      throw new ConsensusException.Invalid(
          "Regions cannot be split with replication = coded: the bodies of values belong to the"
              + " region that they were written in.");
    }
    return client.status().thenComposeAsync(status -> plan(metadata, at, status), readers);
  }

  private CompletionStage<SplitRegionResponse> plan(
      MetadataRegion metadata, Key at, ClusterStatus status) {
    StoredTopology present = metadata.require();
    StoredTopology next = Splits.plan(present, at, replicasMax);
    RegionAssignment region = next.regions().byKey(at);
    SplitRegionResponse response =
        SplitRegionResponse.newBuilder()
            .setRegion(region.split().map(PlannedSplit::child).orElse(region.id()).value())
            .build();
    if (next.equals(present)) {
      return CompletableFuture.completedFuture(response);
    }
    Set<NodeId> capable = Splits.capable(status);
    region.replicas().stream()
        .filter(node -> !capable.contains(node))
        .findFirst()
        .ifPresent(
            node -> {
              throw new ConsensusException.Unavailable(
                  "Node %s, which has a replica of region %s, does not respond, or its version cannot split regions."
                      .formatted(node, region.id()));
            });
    return metadata
        .replace(present, next)
        .thenApply(
            stored -> {
              if (!stored) {
                throw new ConsensusException.Unavailable(
                    "The topology has changed meanwhile; try again.");
              }
              topology.learn(next);
              return response;
            });
  }
}

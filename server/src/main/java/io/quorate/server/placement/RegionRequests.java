package io.quorate.server.placement;

import com.google.protobuf.MessageLite;
import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.v1.MergeRegionResponse;
import io.quorate.protocol.wire.v1.SplitRegionResponse;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Serves the requests of operators to split and merge regions, at the node whose replica of region
 * 0 serves. Any thread.
 */
public final class RegionRequests {
  private final ClusterTopology topology;
  private final AsyncQuorateClient client;
  private final RangeSupport needed;

  /**
   * @param topology learns of each plan at once
   * @param client requests the state of every node
   * @param needed what each node of a region that splits must support
   */
  public RegionRequests(ClusterTopology topology, AsyncQuorateClient client, RangeSupport needed) {
    this.topology = topology;
    this.client = client;
    this.needed = needed;
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
    return CompletableFuture.supplyAsync(() -> split(metadata, at), readers)
        .thenCompose(Function.identity());
  }

  private CompletionStage<SplitRegionResponse> split(MetadataRegion metadata, Key at) {
    StoredTopology present = metadata.require();
    StoredTopology next = Splits.plan(present, at, needed);
    RegionAssignment region = next.regions().byKey(at);
    SplitRegionResponse response =
        SplitRegionResponse.newBuilder()
            .setRegion(region.split().map(PlannedSplit::child).orElse(region.id()).value())
            .build();
    return planned(metadata, present, next, response);
  }

  /**
   * Plans the merge of the region that begins at a key with the one before it. Does not block.
   *
   * @param metadata this node's replica of region 0, which serves
   * @param at the first key of the region that is absorbed
   * @param readers execute what reads the disk
   * @return completes when the merge is planned, or if no region begins at the key; fails with
   *     {@link ConsensusException}
   */
  public CompletionStage<MergeRegionResponse> merge(
      MetadataRegion metadata, Key at, Executor readers) {
    return client.status().thenComposeAsync(status -> merge(metadata, at, status), readers);
  }

  private CompletionStage<MergeRegionResponse> merge(
      MetadataRegion metadata, Key at, ClusterStatus status) {
    StoredTopology present = metadata.require();
    StoredTopology next =
        Merges.plan(
            ClusterPicture.of(present, status),
            at,
            needed,
            (region, node) -> isOpen(region, node, status));
    RegionAssignment region = next.regions().byKey(at);
    MergeRegionResponse response =
        MergeRegionResponse.newBuilder()
            .setRegion(region.merge().map(PlannedMerge::into).orElse(region.id()).value())
            .setNoneBegins(!region.range().start().equals(at))
            .build();
    return planned(metadata, present, next, response);
  }

  private static boolean isOpen(GroupId region, NodeId node, ClusterStatus status) {
    return status.nodes().stream()
        .filter(report -> report.id().equals(Optional.of(node)))
        .anyMatch(report -> report.replica(region).isPresent());
  }

  private <R extends MessageLite> CompletionStage<R> planned(
      MetadataRegion metadata, StoredTopology present, StoredTopology next, R response) {
    return next.equals(present)
        ? CompletableFuture.completedFuture(response)
        : PlannedTopology.store(metadata, present, next, topology).thenApply(stored -> response);
  }
}

package io.quorate.client;

import com.google.protobuf.ByteString;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.ConfirmPlanRequest;
import io.quorate.client.wire.v1.ConfirmPlanResponse;
import io.quorate.client.wire.v1.MergeRegionRequest;
import io.quorate.client.wire.v1.MergeRegionResponse;
import io.quorate.client.wire.v1.MoveReplicaRequest;
import io.quorate.client.wire.v1.MoveReplicaResponse;
import io.quorate.client.wire.v1.ReplicaChange;
import io.quorate.client.wire.v1.SplitRegionRequest;
import io.quorate.client.wire.v1.SplitRegionResponse;
import io.quorate.client.wire.v1.TransferLeaderRequest;
import io.quorate.client.wire.v1.TransferLeaderResponse;
import io.quorate.client.wire.v1.VerifyRegionRequest;
import io.quorate.client.wire.v1.VerifyRegionResponse;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Changes the regions of a cluster; for operators. No method blocks. Clients read and write
 * meanwhile.
 */
public final class RegionAdministration {
  private final AsyncQuorateClient client;
  private final Duration timeout;

  RegionAdministration(AsyncQuorateClient client, Duration timeout) {
    this.client = client;
    this.timeout = timeout;
  }

  /**
   * Transfers the leadership of a region to another of its replicas. Writes to the region wait
   * during the transfer. Completes once the target leads; if the target leads already, nothing
   * changes.
   *
   * <p>Fails with {@link UnavailableException} if the region has no leader at the moment, if the
   * target is unreachable or its log is behind, or if no response is received in time. After a
   * missing response leadership may have moved, which {@link AsyncQuorateClient#status} shows.
   * Fails with {@link InvalidRequestException} if there is no such region, if the target has no
   * replica of it, or if the regions of this cluster have no leader.
   *
   * @param region the id of the region; 0 is the region of the cluster's own metadata
   * @param target the node that is to lead the region
   */
  public CompletableFuture<Void> transferLeader(GroupId region, NodeId target) {
    TransferLeaderRequest request =
        TransferLeaderRequest.newBuilder()
            .setRegion(region.value())
            .setTarget(target.value())
            .build();
    return client
        .onLoop(
            context ->
                ReplicaCall.toLeader(context, region, timeout)
                    .send(Opcode.TRANSFER_LEADER, request, TransferLeaderResponse.parser()))
        .thenApply(done -> null);
  }

  /**
   * Plans the move of a region's replica from one node to another. Completes once the move is
   * planned: the nodes then carry it out, whatever happens to any of them, and {@link
   * AsyncQuorateClient#status} shows when the replica has moved. Reads and writes continue
   * meanwhile.
   *
   * <p>Fails with {@link InvalidRequestException} if there is no such region or replica, if the
   * target has one already or is no node of the cluster, or if replicas of this cluster cannot be
   * moved. Fails with {@link UnavailableException} if until the deadline another replica of the
   * region moves, the metadata of the cluster cannot be changed, or no response is received; after
   * a missing response the move may be planned, and may be requested again.
   *
   * @param region the id of the region, 1 or greater
   * @param from the node with the replica
   * @param to the node that is to have it
   */
  public CompletableFuture<Void> moveReplica(GroupId region, NodeId from, NodeId to) {
    MoveReplicaRequest request =
        MoveReplicaRequest.newBuilder()
            .setRegion(region.value())
            .setChange(ReplicaChange.newBuilder().setFrom(from.value()).setTo(to.value()))
            .build();
    return client
        .onLoop(
            context ->
                MetadataCall.of(
                    context, Opcode.MOVE_REPLICA, request, MoveReplicaResponse.parser(), timeout))
        .thenApply(planned -> null);
  }

  /**
   * Requests that each replica of a region computes a digest of its rows and sessions, so that they
   * are compared: {@link AsyncQuorateClient#status} shows the digests, and which replica is lost
   * because it differs from the others. Completes when the request is in the log; the digests
   * follow after some seconds, or minutes with many GiB of rows.
   *
   * <p>Fails with {@link InvalidRequestException} if there is no such region, and with {@link
   * UnavailableException} if the region has no leader at the moment, or no response is received in
   * time; it may be repeated.
   *
   * @param region the id of the region; 0 is the region of the cluster's own metadata
   * @return the position at which the digests are
   */
  public CompletableFuture<Position> verify(GroupId region) {
    VerifyRegionRequest request =
        VerifyRegionRequest.newBuilder().setRegion(region.value()).build();
    return client
        .onLoop(
            context ->
                ReplicaCall.toServing(context, region, timeout)
                    .send(Opcode.VERIFY_REGION, request, VerifyRegionResponse.parser()))
        .thenApply(response -> new Position(response.getEpoch(), response.getIndex()));
  }

  /**
   * Plans the split of the region that has a key. Completes once the split is planned, or
   * immediately if a region begins at the key already: the nodes then carry it out, whatever
   * happens to any of them. Reads and writes continue meanwhile; no row moves.
   *
   * <p>Fails with {@link InvalidRequestException} if the key is empty or too long, or if regions of
   * this cluster cannot be split. Fails with {@link UnavailableException} if until the deadline
   * another change of the region is under way, a node with a replica of the region does not
   * respond, the metadata of the cluster cannot be changed, or no response is received; after a
   * missing response the split may be planned, and may be requested again.
   *
   * @param at the first key of the new region
   * @return the new region, or the one that begins at the key already
   */
  public CompletableFuture<GroupId> split(byte[] at) {
    SplitRegionRequest request =
        SplitRegionRequest.newBuilder().setAt(ByteString.copyFrom(at)).build();
    return client
        .onLoop(
            context ->
                MetadataCall.of(
                    context, Opcode.SPLIT_REGION, request, SplitRegionResponse.parser(), timeout))
        .thenApply(planned -> new GroupId(planned.getRegion()));
  }

  /**
   * Plans the merge of the region that begins at a key with the one before it, which then has the
   * keys of both. Completes once the merge is planned, or immediately if no region begins at the
   * key, as after a merge: the nodes then carry it out, whatever happens to any of them. For some
   * milliseconds reads and writes of the keys from there on wait; the rest continue.
   *
   * <p>The merge is given up if the rows and sessions of the region that begins at the key have
   * more than 1 MiB. Both regions stay then, which {@link AsyncQuorateClient#status} shows.
   *
   * <p>Fails with {@link InvalidRequestException} if the key is empty or too long, if the two
   * regions are not on the same nodes, or if regions of this cluster cannot be merged. Fails with
   * {@link UnavailableException} if until the deadline another change of one of the two regions is
   * under way, a node of the cluster has not registered with a version that can merge regions, the
   * metadata of the cluster cannot be changed, or no response is received; after a missing response
   * the merge may be planned, and may be requested again.
   *
   * @param at the first key of the region that ends
   * @return the region that has, or will have, the keys from there on
   */
  public CompletableFuture<GroupId> merge(byte[] at) {
    MergeRegionRequest request =
        MergeRegionRequest.newBuilder().setAt(ByteString.copyFrom(at)).build();
    return client
        .onLoop(
            context ->
                MetadataCall.of(
                    context, Opcode.MERGE_REGION, request, MergeRegionResponse.parser(), timeout))
        .thenApply(planned -> new GroupId(planned.getRegion()));
  }

  /** Whether the epoch of a region is this one, at some time after the call. */
  CompletableFuture<Boolean> confirm(GroupId region, RegionEpoch epoch) {
    ConfirmPlanRequest request =
        ConfirmPlanRequest.newBuilder().setRegion(region.value()).setEpoch(epoch.value()).build();
    return client
        .onLoop(
            context ->
                MetadataCall.of(
                    context, Opcode.CONFIRM_PLAN, request, ConfirmPlanResponse.parser(), timeout))
        .thenApply(ConfirmPlanResponse::getConfirmed);
  }
}

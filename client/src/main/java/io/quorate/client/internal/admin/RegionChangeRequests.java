package io.quorate.client.internal.admin;

import com.google.protobuf.ByteString;
import io.quorate.client.CallOperation;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.RegionAdministration;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.client.internal.call.Caller;
import io.quorate.client.internal.call.ClientContext;
import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.ConfirmPlanRequest;
import io.quorate.protocol.wire.v1.ConfirmPlanResponse;
import io.quorate.protocol.wire.v1.MergeRegionRequest;
import io.quorate.protocol.wire.v1.MergeRegionResponse;
import io.quorate.protocol.wire.v1.MoveReplicaRequest;
import io.quorate.protocol.wire.v1.MoveReplicaResponse;
import io.quorate.protocol.wire.v1.ReplicaChange;
import io.quorate.protocol.wire.v1.SplitRegionRequest;
import io.quorate.protocol.wire.v1.SplitRegionResponse;
import io.quorate.protocol.wire.v1.TransferLeaderRequest;
import io.quorate.protocol.wire.v1.TransferLeaderResponse;
import io.quorate.protocol.wire.v1.VerifyRegionRequest;
import io.quorate.protocol.wire.v1.VerifyRegionResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Requests changes of regions. Any thread; nothing blocks. */
public final class RegionChangeRequests implements RegionAdministration {
  private final Caller caller;
  private final Duration timeout;

  public RegionChangeRequests(Caller caller) {
    this.caller = caller;
    this.timeout = caller.deadline();
  }

  @Override
  public CompletableFuture<Void> transferLeader(GroupId region, NodeId target) {
    Nulls.refuse(region, "region");
    Nulls.refuse(target, "target");
    TransferLeaderRequest request =
        TransferLeaderRequest.newBuilder()
            .setRegion(region.value())
            .setTarget(target.value())
            .build();
    return onLoop(
            context ->
                ReplicaCall.toLeader(context, region, timeout)
                    .send(Opcode.TRANSFER_LEADER, request, TransferLeaderResponse.parser()))
        .thenApply(done -> null);
  }

  @Override
  public CompletableFuture<Void> moveReplica(GroupId region, NodeId from, NodeId to) {
    Nulls.refuse(region, "region");
    Nulls.refuse(from, "from");
    Nulls.refuse(to, "to");
    MoveReplicaRequest request =
        MoveReplicaRequest.newBuilder()
            .setRegion(region.value())
            .setChange(ReplicaChange.newBuilder().setFrom(from.value()).setTo(to.value()))
            .build();
    return onLoop(
            context ->
                MetadataCall.of(
                    context, Opcode.MOVE_REPLICA, request, MoveReplicaResponse.parser(), timeout))
        .thenApply(planned -> null);
  }

  @Override
  public CompletableFuture<Position> verify(GroupId region) {
    Nulls.refuse(region, "region");
    VerifyRegionRequest request =
        VerifyRegionRequest.newBuilder().setRegion(region.value()).build();
    return onLoop(
            context ->
                ReplicaCall.toServing(context, region, timeout)
                    .send(Opcode.VERIFY_REGION, request, VerifyRegionResponse.parser()))
        .thenApply(response -> new Position(response.getEpoch(), response.getIndex()));
  }

  @Override
  public CompletableFuture<GroupId> split(byte[] at) {
    Nulls.refuse(at, "at");
    SplitRegionRequest request =
        SplitRegionRequest.newBuilder().setAt(ByteString.copyFrom(at)).build();
    return onLoop(
            context ->
                MetadataCall.of(
                    context, Opcode.SPLIT_REGION, request, SplitRegionResponse.parser(), timeout))
        .thenApply(planned -> new GroupId(planned.getRegion()));
  }

  @Override
  public CompletableFuture<GroupId> merge(byte[] at) {
    Nulls.refuse(at, "at");
    MergeRegionRequest request =
        MergeRegionRequest.newBuilder().setAt(ByteString.copyFrom(at)).build();
    return onLoop(
            context ->
                MetadataCall.of(
                    context,
                    Opcode.MERGE_REGION,
                    request,
                    MergeRegionResponse.parser(),
                    response -> noneBegins(response, at),
                    timeout))
        .thenApply(planned -> new GroupId(planned.getRegion()));
  }

  private static Optional<QuorateException> noneBegins(MergeRegionResponse response, byte[] at) {
    return response.getNoneBegins()
        ? Optional.of(
            new InvalidRequestException(
                "No region begins at "
                    + Key.wrap(at)
                    + ", which is in region "
                    + response.getRegion()
                    + "; there is nothing to merge."))
        : Optional.empty();
  }

  /** Whether the epoch of a region is this one, at some time after the call. */
  public CompletableFuture<Boolean> confirm(GroupId region, RegionEpoch epoch) {
    ConfirmPlanRequest request =
        ConfirmPlanRequest.newBuilder().setRegion(region.value()).setEpoch(epoch.value()).build();
    return onLoop(
            context ->
                MetadataCall.of(
                    context, Opcode.CONFIRM_PLAN, request, ConfirmPlanResponse.parser(), timeout))
        .thenApply(ConfirmPlanResponse::getConfirmed);
  }

  private <T> CompletableFuture<T> onLoop(Function<ClientContext, CompletableFuture<T>> task) {
    return caller.onLoop(CallOperation.REGIONS, task);
  }
}

package io.quorate.server.rpc.cluster;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.protocol.wire.v1.ConfirmPlanRequest;
import io.quorate.protocol.wire.v1.ConfirmPlanResponse;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestFields;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Confirms to a node that is about to carry out a plan that it is the present one. */
final class ConfirmPlanHandler implements RequestHandler {
  private final MetadataLookup metadataLookup;
  private final Executor readers;

  /**
   * @param readers execute what reads the disk
   */
  ConfirmPlanHandler(MetadataLookup metadataLookup, Executor readers) {
    this.metadataLookup = metadataLookup;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    ConfirmPlanRequest message = request.message(ConfirmPlanRequest.parser());
    GroupId region = RequestFields.region(message.getRegion());
    RegionEpoch epoch = RequestFields.epoch(message.getEpoch());
    MetadataRegion metadata = metadataLookup.serving();
    CompletableFuture.supplyAsync(() -> confirm(metadata, region, epoch), readers)
        .thenCompose(Function.identity())
        .thenApply(confirmed -> ConfirmPlanResponse.newBuilder().setConfirmed(confirmed).build())
        .whenComplete(request::end);
  }

  private static CompletionStage<Boolean> confirm(
      MetadataRegion metadata, GroupId region, RegionEpoch epoch) {
    StoredTopology present = metadata.require();
    boolean isPresent =
        present.assignment(region).map(RegionAssignment::epoch).equals(Optional.of(epoch));
    return isPresent ? metadata.confirm(present) : CompletableFuture.completedFuture(false);
  }
}

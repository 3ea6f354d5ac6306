package io.quorate.server.rpc.cluster;

import io.quorate.consensus.GroupStatus;
import io.quorate.model.Position;
import io.quorate.protocol.wire.v1.VerifyRegionRequest;
import io.quorate.protocol.wire.v1.VerifyRegionResponse;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestFields;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Requests digests of a region from its replicas, for operators. */
final class VerifyRegionHandler implements RequestHandler {
  private final ClusterTopology topology;
  private final Executor readers;

  /**
   * @param readers execute what reads the disk
   */
  VerifyRegionHandler(ClusterTopology topology, Executor readers) {
    this.topology = topology;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    VerifyRegionRequest message = request.message(VerifyRegionRequest.parser());
    request.describe("region " + message.getRegion());
    LocalReplica region =
        topology
            .hosted(RequestFields.region(message.getRegion()))
            .filter(VerifyRegionHandler::mayRequest)
            .orElseThrow(
                () ->
                    RequestRejected.unavailable(
                        "This node does not serve region " + message.getRegion() + "."));
    CompletableFuture.supplyAsync(region::proposeDigest, readers)
        .thenCompose(Function.identity())
        .thenApply(VerifyRegionHandler::response)
        .whenComplete(request::end);
  }

  /** A replica that hibernates fails the request as unavailable, and wakes. */
  private static boolean mayRequest(LocalReplica replica) {
    GroupStatus view = replica.group().view();
    return view.serving() || view.hibernating();
  }

  private static VerifyRegionResponse response(Position position) {
    return VerifyRegionResponse.newBuilder()
        .setEpoch(position.epoch())
        .setIndex(position.index())
        .build();
  }
}

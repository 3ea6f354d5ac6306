package io.quorate.server.rpc;

import io.quorate.client.wire.v1.VerifyRegionRequest;
import io.quorate.client.wire.v1.VerifyRegionResponse;
import io.quorate.consensus.Position;
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
    LocalReplica region =
        topology
            .hosted(RequestFields.region(message.getRegion()))
            .filter(replica -> replica.group().view().serving())
            .orElseThrow(
                () ->
                    RequestRejected.unavailable(
                        "This node does not serve region " + message.getRegion() + "."));
    CompletableFuture.supplyAsync(region::proposeDigest, readers)
        .thenCompose(Function.identity())
        .thenApply(VerifyRegionHandler::response)
        .whenComplete(request::end);
  }

  private static VerifyRegionResponse response(Position position) {
    return VerifyRegionResponse.newBuilder()
        .setEpoch(position.epoch())
        .setIndex(position.index())
        .build();
  }
}

package io.quorate.server.rpc.cluster;

import io.quorate.consensus.Leadership;
import io.quorate.protocol.wire.v1.TransferLeaderRequest;
import io.quorate.protocol.wire.v1.TransferLeaderResponse;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestFields;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;

/** Transfers a region's leadership to another node, for operators. */
final class TransferLeaderHandler implements RequestHandler {
  private final ClusterTopology topology;
  private final Duration timeout;

  TransferLeaderHandler(ClusterTopology topology, Duration timeout) {
    this.topology = topology;
    this.timeout = timeout;
  }

  @Override
  public void handle(Request request) {
    TransferLeaderRequest transfer = request.message(TransferLeaderRequest.parser());
    request.describe(
        "region " + transfer.getRegion() + " to " + RequestFields.node(transfer.getTarget()));
    LocalReplica region = region(transfer.getRegion());
    Leadership leadership =
        region
            .group()
            .control(Leadership.class)
            .orElseThrow(() -> RequestRejected.invalid("Regions of this cluster have no leader."));
    leadership
        .transferTo(RequestFields.node(transfer.getTarget()), timeout)
        .whenComplete(
            (done, failure) -> request.end(TransferLeaderResponse.getDefaultInstance(), failure));
  }

  private LocalReplica region(int id) {
    return topology
        .hosted(RequestFields.region(id))
        .orElseThrow(
            () ->
                RequestRejected.stale(
                    "Node " + topology.self() + " has no region " + id + ".", topology.topology()));
  }
}

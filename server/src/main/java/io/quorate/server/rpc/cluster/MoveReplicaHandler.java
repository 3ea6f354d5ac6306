package io.quorate.server.rpc.cluster;

import io.quorate.model.NodeId;
import io.quorate.protocol.wire.v1.MoveReplicaRequest;
import io.quorate.protocol.wire.v1.MoveReplicaResponse;
import io.quorate.server.placement.MoveRequests;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestFields;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.ReplicaChange;
import java.util.concurrent.Executor;

/** Plans the move of a replica to another node, for operators. */
final class MoveReplicaHandler implements RequestHandler {
  private final MetadataLookup metadataLookup;
  private final MoveRequests moves;
  private final Executor readers;

  /**
   * @param readers execute what reads the disk
   */
  MoveReplicaHandler(MetadataLookup metadataLookup, MoveRequests moves, Executor readers) {
    this.metadataLookup = metadataLookup;
    this.moves = moves;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    MoveReplicaRequest message = request.message(MoveReplicaRequest.parser());
    NodeId from = RequestFields.node(message.getChange().getFrom());
    NodeId to = RequestFields.node(message.getChange().getTo());
    request.describe("region " + message.getRegion() + " from " + from + " to " + to);
    if (from.equals(to)) {
      throw RequestRejected.invalid("A replica moves to another node than " + from + ".");
    }
    moves
        .move(
            metadataLookup.serving(),
            RequestFields.region(message.getRegion()),
            ReplicaChange.move(from, to),
            readers)
        .thenApply(planned -> MoveReplicaResponse.getDefaultInstance())
        .whenComplete(request::end);
  }
}

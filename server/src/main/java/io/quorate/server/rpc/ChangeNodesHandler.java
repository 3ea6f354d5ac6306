package io.quorate.server.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.wire.v1.ChangeNodesRequest;
import io.quorate.server.placement.NodeRequests;
import java.util.concurrent.Executor;

/** Changes the nodes of the cluster, for operators and for nodes that register. */
final class ChangeNodesHandler implements RequestHandler {
  private final MetadataLookup metadataLookup;
  private final NodeRequests nodes;
  private final Executor readers;

  /**
   * @param readers execute what reads the disk
   */
  ChangeNodesHandler(MetadataLookup metadataLookup, NodeRequests nodes, Executor readers) {
    this.metadataLookup = metadataLookup;
    this.nodes = nodes;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    nodes
        .change(metadataLookup.serving(), parse(request), readers)
        .whenComplete(
            (response, failure) -> {
              if (failure == null) {
                request.complete(response.toByteArray());
              } else {
                request.fail(ErrorMapper.toRejection(failure));
              }
            });
  }

  private static ChangeNodesRequest parse(Request request) {
    try {
      return ChangeNodesRequest.parseFrom(request.unread());
    } catch (InvalidProtocolBufferException e) {
      throw RequestRejected.invalid("The request cannot be read: " + e.getMessage());
    }
  }
}

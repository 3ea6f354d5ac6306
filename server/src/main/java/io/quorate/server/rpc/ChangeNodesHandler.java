package io.quorate.server.rpc;

import io.quorate.protocol.wire.v1.ChangeNodesRequest;
import io.quorate.server.placement.NodeRequests;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
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
        .change(metadataLookup.serving(), request.message(ChangeNodesRequest.parser()), readers)
        .whenComplete(request::end);
  }
}

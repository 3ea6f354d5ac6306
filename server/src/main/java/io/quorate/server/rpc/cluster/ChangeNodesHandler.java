package io.quorate.server.rpc.cluster;

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
    ChangeNodesRequest message = request.message(ChangeNodesRequest.parser());
    request.describe(subject(message));
    nodes.change(metadataLookup.serving(), message, readers).whenComplete(request::end);
  }

  private static String subject(ChangeNodesRequest message) {
    String change =
        switch (message.getChangeCase()) {
          case ADD -> "add " + message.getAdd().getId();
          case DRAIN -> "drain " + message.getDrain();
          case UNDRAIN -> "undrain " + message.getUndrain();
          case REMOVE -> "remove " + message.getRemove();
          case REPLACE -> "replace " + message.getReplace().getId();
          case REGISTER -> "register " + message.getRegister().getId();
          case PREVIEW -> "preview";
          case CHANGE_NOT_SET -> "nothing";
        };
    return message.getDryRun() ? change + " (dry run)" : change;
  }
}

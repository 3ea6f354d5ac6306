package io.quorate.server.rpc.cluster;

import io.quorate.protocol.wire.v1.AccessRequest;
import io.quorate.server.access.AccessRequests;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import java.util.Optional;

/** Responds with the users and roles, for nodes that have no replica of region 0. */
final class AccessHandler implements RequestHandler {
  private final Optional<AccessRequests> access;

  AccessHandler(Optional<AccessRequests> access) {
    this.access = access;
  }

  @Override
  public void handle(Request request) {
    AccessRequest message = request.message(AccessRequest.parser());
    request.complete(
        access
            .flatMap(each -> each.known(message))
            .orElseThrow(
                () ->
                    RequestRejected.elsewhere(
                        "This node does not know the users of the cluster yet."))
            .toByteArray());
  }
}

package io.quorate.server.rpc;

import io.quorate.protocol.wire.v1.AccessRequest;
import io.quorate.server.access.NodeSecurity;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import java.util.Optional;

/** Responds with the users and roles, for nodes that have no replica of region 0. */
final class AccessHandler implements RequestHandler {
  private final Optional<NodeSecurity> security;

  AccessHandler(Optional<NodeSecurity> security) {
    this.security = security;
  }

  @Override
  public void handle(Request request) {
    AccessRequest message = request.message(AccessRequest.parser());
    request.complete(
        security
            .flatMap(each -> each.access().response(message))
            .orElseThrow(
                () ->
                    RequestRejected.elsewhere(
                        "This node does not know the users of the cluster yet."))
            .toByteArray());
  }
}

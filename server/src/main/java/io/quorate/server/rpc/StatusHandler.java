package io.quorate.server.rpc;

import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.StatusRequest;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestFields;
import io.quorate.server.rpc.request.RequestHandler;
import java.util.function.Function;

/** Responds with the status of this node. */
final class StatusHandler implements RequestHandler {
  private final Function<StatusRequest, NodeStatus> status;

  /**
   * @param status called on event loops; does not block
   */
  StatusHandler(Function<StatusRequest, NodeStatus> status) {
    this.status = status;
  }

  @Override
  public void handle(Request request) {
    StatusRequest message = request.message(StatusRequest.parser());
    if (message.hasRegion()) {
      RequestFields.region(message.getRegion());
    }
    request.complete(status.apply(message).toByteArray());
  }
}

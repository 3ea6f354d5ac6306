package io.quorate.server.rpc;

import io.quorate.client.wire.v1.NodeStatus;
import java.util.function.Supplier;

/** Responds with the status of this node. */
final class StatusHandler implements RequestHandler {
  private final Supplier<NodeStatus> status;

  /**
   * @param status called on event loops; does not block
   */
  StatusHandler(Supplier<NodeStatus> status) {
    this.status = status;
  }

  @Override
  public void handle(Request request) {
    request.complete(status.get().toByteArray());
  }
}

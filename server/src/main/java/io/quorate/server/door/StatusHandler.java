package io.quorate.server.door;

import io.quorate.client.wire.v1.NodeStatus;
import java.util.function.Supplier;

/** Answers with this node's view of itself. */
final class StatusHandler implements RequestHandler {
  private final Supplier<NodeStatus> status;

  /**
   * @param status asked on event loops; does not block
   */
  StatusHandler(Supplier<NodeStatus> status) {
    this.status = status;
  }

  @Override
  public void handle(Request request) {
    request.complete(status.get().toByteArray());
  }
}

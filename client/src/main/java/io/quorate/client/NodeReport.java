package io.quorate.client;

import io.quorate.client.wire.v1.NodeStatus;
import java.util.Optional;

/**
 * What one node said about itself when it was asked.
 *
 * @param id the node's name; empty where nobody could tell
 * @param address where it was asked
 * @param status its answer; empty if there was none
 * @param problem why there was no answer, in one sentence; empty if there was one
 */
public record NodeReport(
    Optional<String> id,
    NodeAddress address,
    Optional<NodeStatus> status,
    Optional<String> problem) {

  /** Whether the node answered. */
  public boolean isUp() {
    return status.isPresent();
  }
}

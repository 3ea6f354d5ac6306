package io.quorate.replication.transport;

import io.quorate.model.NodeId;
import java.time.Duration;

/**
 * How long a request to a peer waits for its response.
 *
 * @param value positive
 * @param key the key that sets it, which the failure names
 */
public record RequestTimeout(Duration value, String key) {
  /** The reason of the failure of a request to which a peer has not responded in time. */
  String reason(NodeId peer) {
    return "Node " + peer + " did not respond within " + value.toMillis() + "ms (" + key + ").";
  }
}

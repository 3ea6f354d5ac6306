package io.quorate.client.internal.call;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.model.NodeId;
import java.util.Optional;

/**
 * One attempt at a call. Reports its end to the call once, as a value or as an {@link
 * AttemptFailure}. Used by the event loop only.
 */
interface Attempt {
  /** Sends the requests of the attempt. Called once. */
  void start();

  /** Ends the attempt because its timeout has passed. */
  void timedOut();

  /** Called when the call no longer waits for the attempt. */
  void abandoned();

  /** Whether a request was sent, so that it may take effect. */
  boolean isSent();

  RegionDescriptor region();

  /** The node to which the request is sent; empty if there are several. */
  Optional<NodeId> node();
}

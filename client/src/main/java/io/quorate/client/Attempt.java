package io.quorate.client;

import io.quorate.consensus.NodeId;
import java.util.Optional;

/**
 * One attempt at a call, which hears once how it ended: by a value, or by a setback. Lives on the
 * event loop.
 */
interface Attempt {
  /** Sends what is to be sent. Called once. */
  void start();

  /** Its time is over. Ends it. */
  void timedOut();

  /** The call waits for it no longer. */
  void abandoned();

  /** Whether something was sent, so that it may take effect. */
  boolean isSent();

  RegionDescriptor region();

  /** The node that is asked, where it is one alone. */
  Optional<NodeId> node();
}

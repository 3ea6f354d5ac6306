package io.quorate.torture.testbed.network;

import java.time.Duration;

/** The delay of each link. Called by any thread, at any time. */
@FunctionalInterface
public interface Delays {
  /** All data is forwarded at once. */
  Delays NONE = link -> Duration.ZERO;

  /** The delay of data that is sent on the link now; not negative. */
  Duration of(Link link);
}

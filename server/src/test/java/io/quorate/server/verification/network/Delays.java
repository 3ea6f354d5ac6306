package io.quorate.server.verification.network;

import java.time.Duration;

/** How long what travels in a link is on its way. Any thread may ask, at any time. */
@FunctionalInterface
public interface Delays {
  /** Everything is passed on at once. */
  Delays NONE = link -> Duration.ZERO;

  /** The delay of what is sent in the link now; not negative. */
  Duration of(Link link);
}

package io.quorate.client.internal.order;

import io.quorate.client.PendingWrite;
import java.util.function.Consumer;

/** A write that was sent, and whose outcome its call did not learn. */
public interface Doubt extends PendingWrite {
  /**
   * How a write ends to be in doubt.
   *
   * @param isGivenUp whether the client has given it up, so that a copy of it may still take effect
   */
  record End(boolean isGivenUp) {}

  /** Has this called once, on the event loop, when nobody can wait for the outcome any more. */
  void whenEnded(Consumer<End> callback);
}

package io.quorate.client.internal.order;

import io.quorate.client.QuorateException;
import java.time.Duration;

/** A call that waits for its turn in a {@link KeyOrder}. Used by the event loop only. */
public interface OrderedCall {
  /** Called once if the call had to wait, when its turn has come. Does not throw. */
  void turnHasCome();

  /** Called when the turn will not come: the call is to end with this failure. Does not throw. */
  void turnNeverComes(QuorateException cause);

  /** The time until the deadline of the call, which may have passed. */
  Duration left();
}

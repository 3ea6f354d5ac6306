package io.quorate.client.internal.connection;

import io.netty.channel.EventLoop;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.common.Failures;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * What takes several steps on the event loop, such as a call. An event loop drops what a task
 * throws, and a {@link java.util.concurrent.CompletionStage} keeps it for nobody; the call would
 * never end. So each step is {@linkplain #enter entered}: whatever it throws, an {@link Error} too,
 * is given to {@link #thrown}. Used by the event loop only.
 */
public interface Guarded {
  /**
   * Ends with this cause, unless it has ended. May be called several times, also during a step.
   *
   * @param cause what a step threw, of any class
   */
  void thrown(Throwable cause);

  /** Runs a step. Does not throw. */
  default void enter(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      endWith(e);
    }
  }

  /** {@link #thrown}, which this method does not trust. Does not throw. */
  default void endWith(Throwable cause) {
    try {
      thrown(cause);
    } catch (Throwable e) {
      LoggerFactory.getLogger(Guarded.class)
          .atWarn()
          .setCause(e)
          .log("A call of this client could not be ended before its deadline");
    }
  }

  /** Enters a step after a delay. */
  default ScheduledFuture<?> enterAfter(EventLoop loop, long nanos, Runnable step) {
    return loop.schedule(() -> enter(step), Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }

  /**
   * The failure of a call because of what one of its steps threw, with that as the cause.
   *
   * @param mayHaveHappened whether the call may have changed something, or may still do so
   */
  static QuorateException failure(Throwable thrown, boolean mayHaveHappened) {
    Throwable cause = Failures.unwrap(thrown);
    if (cause instanceof QuorateException known
        && (known.mayHaveTakenEffect() || !mayHaveHappened)) {
      return known;
    }
    QuorateException failure =
        mayHaveHappened
            ? new IndeterminateException(
                "The request was sent and may have taken effect, but " + problem(cause) + ".")
            : new UnavailableException("The call has ended: " + problem(cause) + ".");
    failure.initCause(cause);
    return failure;
  }

  /** What was thrown, as a phrase. */
  static String problem(Throwable cause) {
    String hint =
        cause instanceof LinkageError
            ? "; perhaps the class path has another version of a library than this client needs"
            : "";
    return "this client failed with " + cause + hint;
  }
}

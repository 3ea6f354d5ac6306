package io.quorate.client.internal.call;

import io.netty.channel.EventLoop;
import io.quorate.client.internal.connection.Guarded;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The timer of one call. From its start until it is stopped, it is armed for the deadline of the
 * call or for something earlier, whatever happens to the call. Used by the event loop only.
 */
final class CallTimer {
  /** The pause before a call is ended again that could not be ended at its deadline. */
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final EventLoop loop;
  private final Guarded call;
  private final long deadlineNanos;
  private final Runnable expired;
  private Runnable next;
  private long nextNanos;
  // Null while nothing is scheduled. It is not later than what is next, and may be earlier.
  private ScheduledFuture<?> scheduled;
  private long scheduledNanos;
  private boolean stopped;

  /**
   * @param startNanos when the call began, as by {@link System#nanoTime}
   * @param expired ends the call at its deadline
   */
  CallTimer(EventLoop loop, Guarded call, long startNanos, Duration deadline, Runnable expired) {
    this.loop = loop;
    this.call = call;
    this.deadlineNanos = startNanos + deadline.toNanos();
    this.expired = expired;
  }

  /**
   * Arms the timer for the deadline.
   *
   * @param usual after which something is usually due: a timer for that time needs not be replaced
   *     by an earlier one
   */
  void start(Duration usual) {
    next = expired;
    nextNanos = deadlineNanos;
    long usualNanos = System.nanoTime() + usual.toNanos();
    schedule(usualNanos - deadlineNanos < 0 ? usualNanos : deadlineNanos);
  }

  /** Runs {@code then} after a delay instead of what the timer was armed for. */
  void arm(Duration after, Runnable then) {
    if (stopped) {
      return;
    }
    next = then;
    nextNanos = System.nanoTime() + after.toNanos();
    if (scheduled == null || scheduledNanos - nextNanos > 0) {
      schedule(nextNanos);
    }
  }

  void stop() {
    stopped = true;
    if (scheduled != null) {
      scheduled.cancel(false);
    }
  }

  /** The former timer is cancelled when the new one is armed. */
  private void schedule(long atNanos) {
    ScheduledFuture<?> former = scheduled;
    long delayNanos = Math.max(0, atNanos - System.nanoTime());
    scheduled = loop.schedule(this::fired, delayNanos, TimeUnit.NANOSECONDS);
    scheduledNanos = atNanos;
    if (former != null) {
      former.cancel(false);
    }
  }

  private void fired() {
    scheduled = null;
    if (nextNanos - System.nanoTime() > 0) {
      schedule(nextNanos);
      return;
    }
    Runnable due = next;
    next = expired;
    nextNanos = deadlineNanos;
    call.enter(due);
    if (!stopped && scheduled == null) {
      long againNanos = System.nanoTime() + AGAIN_NANOS;
      schedule(nextNanos - againNanos > 0 ? nextNanos : againNanos);
    }
  }
}

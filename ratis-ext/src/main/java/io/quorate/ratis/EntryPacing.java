package io.quorate.ratis;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether queued commands wait a moment for others that are about to arrive. An entry costs
 * each replica an fsync, a message and a dozen changes of thread, whatever number of commands it
 * has; clients that wait for the results of one entry send their next commands at about the same
 * time, and the first of them would begin an entry of its own. Pure; not thread-safe.
 *
 * <p>How many are to be expected follows from the commands that were outstanding lately. The wait
 * is bounded by a fraction of the time that an entry takes. Where few commands are outstanding, no
 * command waits.
 */
final class EntryPacing {
  /** Below this number of outstanding commands, none waits. */
  private static final int OUTSTANDING_MIN = 4;

  /** The share of the expected commands for which an entry waits. */
  private static final double SHARE = 0.75;

  /** The part of the duration of an entry that its commands wait at most. */
  private static final int PART_OF_DURATION = 8;

  private static final long WAIT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

  /** The weight of a new observation. */
  private static final double WEIGHT = 0.25;

  private double outstanding;
  private double durationNanos;

  /**
   * Records that an entry is submitted.
   *
   * @param commands the commands that have no result then: its own, those of earlier entries, and
   *     those that are queued behind it
   */
  void submitted(int commands) {
    outstanding = Math.max(commands, outstanding + WEIGHT * (commands - outstanding));
  }

  /** Records how long an entry took from its submission until it was committed. */
  void completed(long nanos) {
    durationNanos += WEIGHT * (nanos - durationNanos);
  }

  /** Whether a queue of this many commands may wait for more. */
  boolean mayWait(int queued) {
    return outstanding >= OUTSTANDING_MIN && queued < SHARE * outstanding;
  }

  /** How long the first command of a queue waits at most. */
  long waitNanosMax() {
    return (long) Math.min(WAIT_NANOS_MAX, durationNanos / PART_OF_DURATION);
  }
}

package io.quorate.common;

import java.util.concurrent.TimeUnit;

/**
 * Decides how long queued commands wait for others that are about to arrive. A batch costs each
 * replica an fsync, messages and changes of thread, whatever number of commands it has; clients
 * that wait for the results of one batch send their next commands at about the same time, and the
 * first of them would begin a batch of its own. See ADR 0048. Pure; not thread-safe.
 *
 * <p>How many commands are to be expected follows from those that were outstanding lately. The wait
 * is bounded by a fraction of the time that a batch takes. Where few commands are outstanding, none
 * waits.
 */
public final class BatchPacing {
  /** Below this number of outstanding commands, none waits. */
  private static final int OUTSTANDING_MIN = 4;

  /** The share of the expected commands for which a batch waits. */
  private static final double SHARE = 0.75;

  /** The part of the duration of a batch that its commands wait at most. */
  private static final int PART_OF_DURATION = 8;

  private static final long WAIT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

  /** The weight of a new observation. */
  private static final double WEIGHT = 0.25;

  private double outstanding;
  private double durationNanos;

  /**
   * Records that a batch begins.
   *
   * @param commands the commands that have no result then: its own, those of earlier batches, and
   *     those that are queued behind it
   */
  public void begun(int commands) {
    outstanding = Math.max(commands, outstanding + WEIGHT * (commands - outstanding));
  }

  /** Records how long a batch took from its begin until it was committed. */
  public void completed(long nanos) {
    durationNanos += WEIGHT * (nanos - durationNanos);
  }

  /** The number of queued commands from which on they do not wait for more; 0 if none waits. */
  public int expected() {
    return outstanding < OUTSTANDING_MIN ? 0 : (int) Math.ceil(SHARE * outstanding);
  }

  /** How long the first command of a queue waits at most. */
  public long waitNanosMax() {
    return (long) Math.min(WAIT_NANOS_MAX, durationNanos / PART_OF_DURATION);
  }
}

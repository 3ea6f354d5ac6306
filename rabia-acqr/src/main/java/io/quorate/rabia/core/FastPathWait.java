package io.quorate.rabia.core;

/**
 * How long STATE waits for the last proposals of a slot (O6). With all proposals a slot is decided
 * immediately; without them the decision takes two more rounds. The wait follows the 95th
 * percentile of the delay of the last proposal, never exceeds the two rounds that it may save, and
 * is 0 while fewer than half of the slots would gain by it: in that case one replica is slow, and
 * its disk or link must not set the pace of the group.
 */
final class FastPathWait {
  private static final double QUANTILE = 0.95;

  /** The relative change of the percentile by one observation. */
  private static final double STEP = 0.1;

  /** The weight of one observation in the averages. */
  private static final double WEIGHT = 1.0 / 16;

  private static final int ROUNDS_SAVED = 2;

  private final long min;
  private final long max;
  private double gap;
  private double round = -1;
  private double success = 1;

  /**
   * @param min the minimum wait, unless the wait is 0; nanoseconds
   * @param max the maximum wait; nanoseconds
   */
  FastPathWait(long min, long max) {
    this.min = min;
    this.max = max;
    this.gap = min;
  }

  /** Observes the time from this replica's own proposal to a quorum of proposals. */
  void observeRound(long nanos) {
    round = round < 0 ? nanos : round + WEIGHT * (nanos - round);
  }

  /**
   * Observes the time from the quorum of proposals to the last proposal of a slot.
   *
   * @param expired whether {@link #expire} has counted this slot
   */
  void observeGap(long nanos, boolean expired) {
    // The estimate is stable when one of twenty observations exceeds it.
    double direction = nanos > gap ? QUANTILE : QUANTILE - 1;
    gap = Math.min(max, Math.max(min, gap * (1 + STEP * direction)));
    if (nanos <= longest()) {
      success += WEIGHT * (1 - success);
    } else if (!expired) {
      success -= WEIGHT * success;
    }
  }

  /** Counts a wait that ended without the last proposal. */
  void expire() {
    success -= WEIGHT * success;
  }

  long nanos() {
    return success < 0.5 ? 0 : Math.min((long) gap, longest());
  }

  private long longest() {
    return round < 0 ? max : Math.max(min, Math.min(max, (long) (ROUNDS_SAVED * round)));
  }
}

package io.quorate.rabia.core;

/**
 * How long it pays to wait for the last proposals of a slot before STATE is sent (O6). With all
 * proposals a slot is decided at once; without, it takes two more rounds. The wait follows the 95th
 * percentile of how late the last proposal comes, is never longer than the two rounds that it may
 * save, and is dropped while less than half of the slots would gain by it: then one replica is
 * slow, and its disk or link must not set the pace of the group.
 */
final class FastPathWait {
  private static final double QUANTILE = 0.95;

  /** How far one observation moves the percentile, as a part of it. */
  private static final double STEP = 0.1;

  /** Of one observation in the averages. */
  private static final double WEIGHT = 1.0 / 16;

  private static final int ROUNDS_SAVED = 2;

  private final long min;
  private final long max;
  private double gap;
  private double round = -1;
  private double success = 1;

  /**
   * @param min the shortest wait, where there is any
   * @param max the longest
   */
  FastPathWait(long min, long max) {
    this.min = min;
    this.max = max;
    this.gap = min;
  }

  /** A quorum of proposals was complete so long after this replica's own was made. */
  void observeRound(long nanos) {
    round = round < 0 ? nanos : round + WEIGHT * (nanos - round);
  }

  /**
   * The last proposal of a slot came so much later than those that made a quorum.
   *
   * @param expired whether {@link #expire} has counted this slot
   */
  void observeGap(long nanos, boolean expired) {
    // In balance when one observation of twenty lies above.
    double share = nanos > gap ? QUANTILE : QUANTILE - 1;
    gap = Math.min(max, Math.max(min, gap * (1 + STEP * share)));
    if (nanos <= longest()) {
      success += WEIGHT * (1 - success);
    } else if (!expired) {
      success -= WEIGHT * success;
    }
  }

  /** A wait has ended without the last proposal. */
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

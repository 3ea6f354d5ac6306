package io.quorate.rabia.core;

/**
 * For how long it is worth waiting for the last proposals (O6): an estimate of the 95th percentile
 * of how much later than the quorum they come. Follows disks and networks as they are; a replica
 * that is gone is suspected and not waited for at all.
 */
final class HoldEstimate {
  private static final double QUANTILE = 0.95;

  /** How far one observation moves the estimate, as a part of it. */
  private static final double STEP = 0.1;

  private final long least;
  private final long most;
  private double estimate;

  HoldEstimate(long least, long most) {
    this.least = least;
    this.most = most;
    this.estimate = least;
  }

  /** The last proposal of a slot came so much later than those that made a quorum. */
  void observe(long gap) {
    // In balance when one observation of twenty lies above.
    double share = gap > estimate ? QUANTILE : QUANTILE - 1;
    estimate = Math.min(most, Math.max(least, estimate * (1 + STEP * share)));
  }

  /**
   * Waiting was in vain. If the last proposal comes in time to be {@linkplain #observe observed}
   * that outweighs this; if none ever does, waiting is given up little by little.
   */
  void expire() {
    estimate = Math.max(least, estimate * (1 - STEP / 5));
  }

  long nanos() {
    return (long) estimate;
  }
}

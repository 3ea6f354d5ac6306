package io.quorate.rabia.core.members;

/**
 * A timeout that follows measured delays: their smoothed mean plus four times their smoothed
 * deviation, like the retransmission timeout of TCP (RFC 6298).
 */
public final class DelayEstimate {
  private static final double MEAN_WEIGHT = 1.0 / 8;
  private static final double DEVIATION_WEIGHT = 1.0 / 4;
  private static final int DEVIATIONS = 4;

  private final long min;
  private final long max;
  private double mean = -1;
  private double deviation;

  /**
   * @param min the minimum timeout, also used before the first observation; nanoseconds
   * @param max the maximum timeout; nanoseconds
   */
  public DelayEstimate(long min, long max) {
    this.min = min;
    this.max = max;
  }

  public void observe(long nanos) {
    if (mean < 0) {
      mean = nanos;
      deviation = nanos / 2.0;
      return;
    }
    deviation += DEVIATION_WEIGHT * (Math.abs(nanos - mean) - deviation);
    mean += MEAN_WEIGHT * (nanos - mean);
  }

  public long timeout() {
    return mean < 0 ? min : Math.max(min, Math.min(max, (long) (mean + DEVIATIONS * deviation)));
  }
}

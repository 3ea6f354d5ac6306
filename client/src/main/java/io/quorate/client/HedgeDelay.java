package io.quorate.client;

import java.time.Duration;

/**
 * How long to wait for a replica before others are asked too: longer than nearly all answers have
 * taken lately. Follows the mean of the latencies and their mean deviation from it, as TCP does for
 * its retransmissions; mean and four deviations are beyond the 95th percentile of what is usual.
 * Not thread-safe; knows no time.
 */
final class HedgeDelay {
  /** Before the first answer. */
  static final Duration FIRST = Duration.ofMillis(20);

  /** Below this, what is asked twice costs more than what is waited for. */
  static final Duration LEAST = Duration.ofMillis(1);

  static final Duration MOST = Duration.ofMillis(500);

  /** What part of the mean, and of the deviation, one answer makes up: 1/8 and 1/4. */
  private static final double MEAN_WEIGHT = 0.125;

  private static final double DEVIATION_WEIGHT = 0.25;
  private static final double DEVIATIONS = 4;

  private double meanNanos = -1;
  private double deviationNanos;

  /** An answer took so long. */
  void answered(long nanos) {
    if (meanNanos < 0) {
      meanNanos = nanos;
      deviationNanos = nanos / 2.0;
      return;
    }
    double error = nanos - meanNanos;
    deviationNanos += DEVIATION_WEIGHT * (Math.abs(error) - deviationNanos);
    meanNanos += MEAN_WEIGHT * error;
  }

  /** How long to wait now. */
  Duration present() {
    if (meanNanos < 0) {
      return FIRST;
    }
    double wished = meanNanos + DEVIATIONS * deviationNanos;
    return Duration.ofNanos((long) Math.min(MOST.toNanos(), Math.max(LEAST.toNanos(), wished)));
  }
}

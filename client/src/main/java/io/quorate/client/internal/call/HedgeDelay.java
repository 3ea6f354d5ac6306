package io.quorate.client.internal.call;

import java.time.Duration;

/**
 * The time to wait for the responses of a quorum read before more replicas are queried: longer than
 * nearly all recent responses took. Computed from the mean of the latencies and their mean
 * deviation, as TCP computes its retransmission timeout; the mean plus four deviations is beyond
 * the 95th percentile of usual latencies. Not thread-safe; does not read a clock.
 */
final class HedgeDelay {
  /** The delay before the first response. */
  static final Duration DELAY_INITIAL = Duration.ofMillis(20);

  /** With a shorter delay, the additional requests cost more than the wait. */
  static final Duration DELAY_MIN = Duration.ofMillis(1);

  static final Duration DELAY_MAX = Duration.ofMillis(500);

  /** The weight of one response in the mean, and in the deviation: 1/8 and 1/4. */
  private static final double MEAN_WEIGHT = 0.125;

  private static final double DEVIATION_WEIGHT = 0.25;
  private static final double DEVIATIONS = 4;

  private double meanNanos = -1;
  private double deviationNanos;

  /** Records the latency of a response. */
  void record(long nanos) {
    if (meanNanos < 0) {
      meanNanos = nanos;
      deviationNanos = nanos / 2.0;
      return;
    }
    double error = nanos - meanNanos;
    deviationNanos += DEVIATION_WEIGHT * (Math.abs(error) - deviationNanos);
    meanNanos += MEAN_WEIGHT * error;
  }

  /** The present delay. */
  Duration current() {
    if (meanNanos < 0) {
      return DELAY_INITIAL;
    }
    double unbounded = meanNanos + DEVIATIONS * deviationNanos;
    return Duration.ofNanos(
        (long) Math.min(DELAY_MAX.toNanos(), Math.max(DELAY_MIN.toNanos(), unbounded)));
  }
}

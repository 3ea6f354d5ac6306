package io.quorate.benchmarks.kv;

import java.util.random.RandomGenerator;

/**
 * The times of a Poisson process: gaps are independent and exponentially distributed, as those
 * between the calls of very many clients that do not wait for each other. Not thread-safe.
 */
final class PoissonArrivals {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double meanGapNanos;
  private final RandomGenerator random;
  private double lastNanos;

  /**
   * @param perSecond mean number of arrivals in a second, above 0
   */
  PoissonArrivals(double perSecond, RandomGenerator random) {
    if (!(perSecond > 0)) {
      throw new IllegalArgumentException("The rate of arrivals is above 0, not " + perSecond + ".");
    }
    this.meanGapNanos = NANOS_PER_SECOND / perSecond;
    this.random = random;
  }

  /** The time of the next arrival, in nanoseconds since the start; never before an earlier one. */
  long nextNanos() {
    lastNanos += random.nextExponential() * meanGapNanos;
    return (long) lastNanos;
  }
}

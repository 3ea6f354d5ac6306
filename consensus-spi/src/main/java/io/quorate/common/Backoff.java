package io.quorate.common;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff: the pause before the next attempt doubles with every earlier failure, up to
 * a maximum. The caller counts the failures. Immutable.
 */
public final class Backoff {
  private final long minNanos;
  private final long maxNanos;

  /**
   * @param min the pause after the first failure; not negative
   * @param max the maximum pause
   */
  public Backoff(Duration min, Duration max) {
    this.minNanos = min.toNanos();
    this.maxNanos = max.toNanos();
  }

  public long maxNanos() {
    return maxNanos;
  }

  /**
   * The pause in nanoseconds.
   *
   * @param failures the number of earlier failures; 0 for the minimum
   */
  public long nanos(int failures) {
    // As many doublings as do not overflow.
    int doublings = Math.min(failures, Long.numberOfLeadingZeros(minNanos) - 1);
    return Math.min(minNanos << doublings, maxNanos);
  }

  /**
   * A random pause in nanoseconds, from half of {@link #nanos} to all of it.
   *
   * @param failures the number of earlier failures; 0 for the minimum
   */
  public long jitteredNanos(int failures, RandomGenerator random) {
    long pause = nanos(failures);
    return pause / 2 + random.nextLong(pause / 2 + 1);
  }
}

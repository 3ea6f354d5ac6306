package io.quorate.rabia.transport;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** The pause before the next attempt: doubled from one to the next, and scattered. */
final class Backoff {
  private final long minNanos;
  private final long maxNanos;
  private final RandomGenerator random;
  private int failures;

  Backoff(Duration min, Duration max, RandomGenerator random) {
    this.minNanos = min.toNanos();
    this.maxNanos = max.toNanos();
    this.random = random;
  }

  /** After a failure: from half to all of the minimum doubled as often as it failed before. */
  long nextNanos() {
    long whole = minNanos;
    for (int i = 0; i < failures && whole < maxNanos; i++) {
      whole *= 2;
    }
    failures++;
    whole = Math.min(whole, maxNanos);
    return whole / 2 + random.nextLong(whole / 2 + 1);
  }

  /** After a success that lasted. */
  void reset() {
    failures = 0;
  }

  long maxNanos() {
    return maxNanos;
  }
}

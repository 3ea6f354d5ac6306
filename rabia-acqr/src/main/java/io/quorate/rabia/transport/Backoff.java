package io.quorate.rabia.transport;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Exponential backoff with jitter: the pause before the next attempt. */
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

  /** The pause after a failure: half to all of the minimum, doubled for each earlier failure. */
  long nextNanos() {
    long pause = minNanos;
    for (int i = 0; i < failures && pause < maxNanos; i++) {
      pause *= 2;
    }
    failures++;
    pause = Math.min(pause, maxNanos);
    return pause / 2 + random.nextLong(pause / 2 + 1);
  }

  /** Starts again from the minimum, after a success that lasted. */
  void reset() {
    failures = 0;
  }

  long maxNanos() {
    return maxNanos;
  }
}

package io.quorate.rabia.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void pausesDoubleUpToTheLongestAndStartAnew() {
    Backoff backoff =
        new Backoff(Duration.ofNanos(100), Duration.ofNanos(1000), new SplittableRandom(7));
    long[] wholes = {100, 200, 400, 800, 1000, 1000, 1000};
    for (long whole : wholes) {
      assertThat(backoff.nextNanos()).isBetween(whole / 2, whole);
    }
    backoff.reset();
    assertThat(backoff.nextNanos()).isBetween(50L, 100L);
  }

  @Test
  void manyFailuresOverflowNothing() {
    Backoff backoff =
        new Backoff(Duration.ofMillis(1), Duration.ofMinutes(1), new SplittableRandom(7));
    for (int i = 0; i < 1000; i++) {
      assertThat(backoff.nextNanos()).isBetween(1L, Duration.ofMinutes(1).toNanos());
    }
  }
}

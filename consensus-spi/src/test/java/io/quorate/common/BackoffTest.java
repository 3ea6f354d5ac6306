package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void pausesDoubleUpToTheMaximum() {
    Backoff backoff = new Backoff(Duration.ofNanos(100), Duration.ofNanos(1000));
    SplittableRandom random = new SplittableRandom(7);
    long[] pauses = {100, 200, 400, 800, 1000, 1000, 1000};
    for (int failures = 0; failures < pauses.length; failures++) {
      long pause = pauses[failures];
      assertThat(backoff.nanos(failures)).isEqualTo(pause);
      for (int i = 0; i < 100; i++) {
        assertThat(backoff.jitteredNanos(failures, random)).isBetween(pause / 2, pause);
      }
    }
  }

  @Test
  void manyFailuresDoNotOverflow() {
    Backoff backoff = new Backoff(Duration.ofMillis(1), Duration.ofMinutes(1));
    for (int failures = 16; failures < 1000; failures++) {
      assertThat(backoff.nanos(failures)).isEqualTo(Duration.ofMinutes(1).toNanos());
    }
    assertThat(backoff.nanos(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(1).toNanos());
    assertThat(new Backoff(Duration.ZERO, Duration.ofSeconds(1)).nanos(100)).isZero();
    assertThat(
            new Backoff(Duration.ofNanos(1), Duration.ofNanos(Long.MAX_VALUE))
                .nanos(Integer.MAX_VALUE))
        .isEqualTo(1L << 62);
  }
}

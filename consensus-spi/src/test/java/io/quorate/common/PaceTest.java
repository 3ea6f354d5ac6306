package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long START = Long.MAX_VALUE - 10;

  private final Pace pace = new Pace(1000, START);

  private static long at(long millis) {
    return START + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private long reserveMillis(int bytes, long atMillis) {
    return TimeUnit.NANOSECONDS.toMillis(pace.reserve(bytes, at(atMillis)));
  }

  @Test
  void workWaitsForTheWorkBeforeIt() {
    assertThat(reserveMillis(500, 0)).isZero();
    assertThat(reserveMillis(250, 0)).isEqualTo(500);
    assertThat(reserveMillis(1, 100)).isEqualTo(650);
  }

  @Test
  void unusedTimeIsLost() {
    assertThat(reserveMillis(100, 0)).isZero();
    assertThat(reserveMillis(100, 10_000)).isZero();
    assertThat(reserveMillis(100, 10_000)).isEqualTo(100);
  }

  @Test
  void theLongestBodyDoesNotOverflow() {
    Pace slowest = new Pace(64 << 10, START);
    assertThat(slowest.reserve(1 << 30, START)).isZero();
    assertThat(slowest.reserve(1, START)).isEqualTo(TimeUnit.SECONDS.toNanos(1 << 14));
  }
}

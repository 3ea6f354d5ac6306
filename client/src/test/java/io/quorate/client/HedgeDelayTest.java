package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HedgeDelayTest {
  private final HedgeDelay delay = new HedgeDelay();

  private void answered(int times, Duration latency) {
    for (int i = 0; i < times; i++) {
      delay.record(latency.toNanos());
    }
  }

  @Test
  void beforeTheFirstAnswerItIsAGuess() {
    assertThat(delay.current()).isEqualTo(HedgeDelay.DELAY_INITIAL);
  }

  @Test
  void itFollowsSteadyLatencies() {
    answered(100, Duration.ofMillis(10));

    assertThat(delay.current()).isBetween(Duration.ofMillis(10), Duration.ofMillis(11));
    answered(100, Duration.ofMillis(100));
    assertThat(delay.current()).isBetween(Duration.ofMillis(100), Duration.ofMillis(110));
  }

  @Test
  void itIsBeyondWhatNearlyAllAnswersTakeWhereTheyVary() {
    for (int i = 0; i < 1000; i++) {
      // 1 to 20 ms, each as often as the others.
      delay.record(Duration.ofMillis(i * 7 % 20 + 1).toNanos());
    }

    assertThat(delay.current()).isBetween(Duration.ofMillis(19), Duration.ofMillis(60));
  }

  @Test
  void itStaysWithinItsBounds() {
    answered(100, Duration.ofNanos(10));
    assertThat(delay.current()).isEqualTo(HedgeDelay.DELAY_MIN);

    answered(100, Duration.ofMinutes(1));
    assertThat(delay.current()).isEqualTo(HedgeDelay.DELAY_MAX);
  }
}

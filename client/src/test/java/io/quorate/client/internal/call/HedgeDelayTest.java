package io.quorate.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HedgeDelayTest {
  private final HedgeDelay delay = new HedgeDelay();

  private void recordLatency(int times, Duration latency) {
    for (int i = 0; i < times; i++) {
      delay.record(latency.toNanos());
    }
  }

  @Test
  void theDelayStartsAtItsInitialValue() {
    assertThat(delay.current()).isEqualTo(HedgeDelay.DELAY_INITIAL);
  }

  @Test
  void theDelayFollowsSteadyLatencies() {
    recordLatency(100, Duration.ofMillis(10));

    assertThat(delay.current()).isBetween(Duration.ofMillis(10), Duration.ofMillis(11));
    recordLatency(100, Duration.ofMillis(100));
    assertThat(delay.current()).isBetween(Duration.ofMillis(100), Duration.ofMillis(110));
  }

  @Test
  void theDelayExceedsNearlyAllOfVaryingLatencies() {
    for (int i = 0; i < 1000; i++) {
      // 1 to 20 ms, uniformly distributed.
      delay.record(Duration.ofMillis(i * 7 % 20 + 1).toNanos());
    }

    assertThat(delay.current()).isBetween(Duration.ofMillis(19), Duration.ofMillis(60));
  }

  @Test
  void theDelayStaysWithinItsBounds() {
    recordLatency(100, Duration.ofNanos(10));
    assertThat(delay.current()).isEqualTo(HedgeDelay.DELAY_MIN);

    recordLatency(100, Duration.ofMinutes(1));
    assertThat(delay.current()).isEqualTo(HedgeDelay.DELAY_MAX);
  }
}

package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class HoldEstimateTest {
  private final HoldEstimate estimate = new HoldEstimate(100, 1_000_000);

  @Test
  void comesNearThePercentileAndFollowsIt() {
    long seed = 5;
    Random random = new Random(seed);
    for (int scale : new int[] {10_000, 200_000, 1_000}) {
      for (int i = 0; i < 5_000; i++) {
        estimate.observe(random.nextInt(scale));
      }
      assertThat(estimate.nanos())
          .as("seed %d, gaps up to %d", seed, scale)
          .isBetween(scale * 7L / 10, scale * 12L / 10);
    }
  }

  @Test
  void waitingInVainIsGivenUp() {
    for (int i = 0; i < 200; i++) {
      estimate.observe(500_000);
    }
    assertThat(estimate.nanos()).isGreaterThan(400_000);
    for (int i = 0; i < 1_000; i++) {
      estimate.expire();
    }
    assertThat(estimate.nanos()).isEqualTo(100);
  }

  @Test
  void staysWithinItsBounds() {
    assertThat(estimate.nanos()).isEqualTo(100);
    for (int i = 0; i < 10_000; i++) {
      estimate.observe(Long.MAX_VALUE);
    }
    assertThat(estimate.nanos()).isEqualTo(1_000_000);
    for (int i = 0; i < 10_000; i++) {
      estimate.observe(0);
    }
    assertThat(estimate.nanos()).isEqualTo(100);
  }
}

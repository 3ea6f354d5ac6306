package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FastPathWaitTest {
  private static final long MIN = 100;
  private static final long MAX = 1_000_000;

  private final FastPathWait wait = new FastPathWait(MIN, MAX);

  @Test
  void followsThe95thPercentileOfTheGap() {
    long seed = 5;
    Random random = new Random(seed);
    for (int scale : new int[] {10_000, 200_000, 1_000}) {
      for (int i = 0; i < 5_000; i++) {
        wait.observeGap(random.nextInt(scale), false);
      }
      assertThat(wait.nanos())
          .as("seed %d, gaps up to %d", seed, scale)
          .isBetween(scale * 7L / 10, scale * 12L / 10);
    }
  }

  @Test
  void isNoLongerThanTheTwoRoundsThatItMaySave() {
    for (int i = 0; i < 200; i++) {
      wait.observeRound(2_000);
      wait.observeGap(i % 4 == 0 ? 500_000 : 1_000, false);
    }
    assertThat(wait.nanos()).isEqualTo(4_000);
  }

  @Test
  void isDroppedWhileMostSlotsGainNothing() {
    for (int i = 0; i < 20; i++) {
      wait.observeRound(2_000);
      wait.observeGap(500_000, false);
    }
    assertThat(wait.nanos()).isZero();

    for (int i = 0; i < 40; i++) {
      wait.observeGap(1_000, false);
    }
    assertThat(wait.nanos()).isPositive();
  }

  @Test
  void isDroppedIfTheLastProposalNeverArrives() {
    for (int i = 0; i < 20; i++) {
      wait.expire();
    }
    assertThat(wait.nanos()).isZero();
  }

  @Test
  void aSlotWithALateLastProposalCountsOnce() {
    for (int i = 0; i < 10; i++) {
      wait.observeRound(2_000);
      wait.expire();
      wait.observeGap(500_000, true);
    }
    assertThat(wait.nanos()).as("after ten slots that gained nothing").isPositive();
  }

  @Test
  void staysWithinItsBounds() {
    assertThat(wait.nanos()).isEqualTo(MIN);
    for (int i = 0; i < 10_000; i++) {
      wait.observeGap(MAX, false);
    }
    assertThat(wait.nanos()).isEqualTo(MAX);
    for (int i = 0; i < 10_000; i++) {
      wait.observeGap(0, false);
    }
    assertThat(wait.nanos()).isEqualTo(MIN);
  }
}

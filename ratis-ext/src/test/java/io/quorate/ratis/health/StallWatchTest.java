package io.quorate.ratis.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Ticks of 50 ms, and a stall timeout of one second. */
class StallWatchTest {
  private static final Duration STALL_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration TICK = Duration.ofMillis(50);

  private final StallWatch watch = new StallWatch(STALL_TIMEOUT, TICK);

  /** Close to the overflow of the clock. */
  private long nowNanos = Long.MAX_VALUE - Duration.ofSeconds(2).toNanos();

  @Test
  void progressIsNoStall() {
    for (int i = 0; i < 100; i++) {
      ticks(1, true, i);
    }
    assertThat(watch.isSlow()).isFalse();
    assertThat(watch.isStalled()).isFalse();
    assertThat(watch.isHealthy()).isTrue();
  }

  @Test
  void workWithoutProgressStallsAfterTheStallTimeout() {
    ticks(1, true, 7);
    ticks(4, true, 7);
    assertThat(watch.isSlow()).isFalse();
    ticks(1, true, 7);
    assertThat(watch.isSlow()).isTrue();
    ticks(14, true, 7);
    assertThat(watch.isStalled()).isFalse();
    assertThat(watch.isHealthy()).isTrue();
    ticks(1, true, 7);
    assertThat(watch.isStalled()).isTrue();
    assertThat(watch.isHealthy()).isFalse();
  }

  @Test
  void anEmptyQueueIsNoStall() {
    ticks(100, false, 7);
    assertThat(watch.isSlow()).isFalse();
  }

  /** Work arrives after the queue was empty for long. */
  @Test
  void theTimeCountsFromTheArrivalOfTheWork() {
    ticks(100, false, 7);
    ticks(19, true, 7);
    assertThat(watch.isStalled()).isFalse();
    ticks(1, true, 7);
    assertThat(watch.isStalled()).isTrue();
  }

  @Test
  void itIsHealthyAgainAStallTimeoutAfterAStall() {
    ticks(30, true, 7);
    ticks(1, true, 8);
    assertThat(watch.isStalled()).isFalse();
    assertThat(watch.isHealthy()).isFalse();
    ticks(18, false, 8);
    assertThat(watch.isHealthy()).isFalse();
    ticks(1, false, 8);
    assertThat(watch.isHealthy()).isTrue();
  }

  @Test
  void anotherStallRestartsTheTimeUntilItIsHealthy() {
    ticks(30, true, 7);
    ticks(15, true, 8);
    ticks(30, true, 8);
    ticks(15, true, 9);
    assertThat(watch.isHealthy()).isFalse();
  }

  /** During the pause no tick ran either, and the disk may have been fast. */
  @Test
  void aPauseOfTheProcessIsNoStall() {
    ticks(2, true, 7);
    nowNanos += Duration.ofMinutes(5).toNanos();
    ticks(1, true, 7);
    assertThat(watch.isStalled()).isFalse();
    ticks(20, true, 7);
    assertThat(watch.isStalled()).isTrue();
  }

  private void ticks(int count, boolean isWaiting, long progress) {
    for (int i = 0; i < count; i++) {
      nowNanos += TICK.toNanos();
      watch.tick(nowNanos, isWaiting, progress);
    }
  }
}

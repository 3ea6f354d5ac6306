package io.quorate.rabia.engine;

import static io.quorate.rabia.engine.ProgressWatch.STALL_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProgressWatchTest {
  private final ProgressWatch watch = new ProgressWatch();

  @Test
  void stallsASecondAfterTheWaitBegan() {
    watch.update(true, 100);
    watch.update(true, 100 + STALL_NANOS - 1);
    assertThat(watch.isStalled(100 + STALL_NANOS - 1)).isFalse();
    assertThat(watch.dueAt(200)).isEqualTo(100 + STALL_NANOS);
    assertThat(watch.isStalled(100 + STALL_NANOS)).isTrue();
  }

  @Test
  void progressDelaysTheStall() {
    watch.update(true, 0);
    watch.progressed(STALL_NANOS / 2);
    assertThat(watch.isStalled(STALL_NANOS)).isFalse();
    assertThat(watch.isStalled(STALL_NANOS * 3 / 2)).isTrue();
  }

  @Test
  void withoutAWaitThereIsNoStall() {
    watch.update(true, 0);
    watch.update(false, STALL_NANOS / 2);
    assertThat(watch.isStalled(10 * STALL_NANOS)).isFalse();
    watch.update(true, 20 * STALL_NANOS);
    assertThat(watch.isStalled(20 * STALL_NANOS)).isFalse();
  }
}

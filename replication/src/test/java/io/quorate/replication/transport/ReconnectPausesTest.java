package io.quorate.replication.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.Backoff;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ReconnectPausesTest {
  private static final long MAX = Duration.ofMillis(100).toNanos();

  private final Backoff backoff = new Backoff(Duration.ofMillis(1), Duration.ofMillis(100));
  private final ReconnectPauses pauses = new ReconnectPauses(backoff);

  /** The pause without its jitter, which the same random numbers reproduce. */
  private void assertPauseAfter(int failures, long nowNanos) {
    assertThat(pauses.closed(nowNanos, new SplittableRandom(7)))
        .isEqualTo(backoff.jitteredNanos(failures, new SplittableRandom(7)));
  }

  @Test
  void failedAttemptsAndShortConnectionsIncreaseThePause() {
    assertPauseAfter(0, 0);
    assertPauseAfter(1, 10);
    pauses.opened(20);
    assertPauseAfter(2, 20 + MAX);
    assertPauseAfter(3, 30 + 10 * MAX);
  }

  @Test
  void aConnectionThatLastedStartsThePausesAnew() {
    assertPauseAfter(0, 0);
    assertPauseAfter(1, 10);
    pauses.opened(20);
    assertPauseAfter(0, 21 + MAX);
    assertPauseAfter(1, 30 + MAX);
  }
}

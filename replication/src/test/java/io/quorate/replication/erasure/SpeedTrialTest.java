package io.quorate.replication.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

class SpeedTrialTest {
  private static final int BASELINE_NANOS = 100;
  private static final int ROUNDS_MAX = 1000;

  private long nanos;
  private int rounds;

  /** A candidate becomes faster when the JVM has compiled it. */
  @Test
  void theTrialEndsSoonAfterTheCandidateIsCompiled() {
    assertThat(isFaster(round -> round < 400 ? 10_000 : 20)).isTrue();
    assertThat(rounds).isEqualTo(400 + SpeedTrial.WINS);
  }

  @Test
  void aCandidateThatStaysSlowIsNotFaster() {
    assertThat(isFaster(round -> BASELINE_NANOS)).isFalse();
    assertThat(rounds).isEqualTo(ROUNDS_MAX);
  }

  @Test
  void aFewDisturbedRoundsOfTheBaselineDoNotDecide() {
    assertThat(isFaster(round -> round % SpeedTrial.WINS == 0 ? 10_000 : 20)).isFalse();
  }

  private boolean isFaster(IntUnaryOperator candidateNanos) {
    return SpeedTrial.isFaster(
        () -> nanos += candidateNanos.applyAsInt(rounds++),
        () -> nanos += BASELINE_NANOS,
        ROUNDS_MAX,
        () -> nanos);
  }
}

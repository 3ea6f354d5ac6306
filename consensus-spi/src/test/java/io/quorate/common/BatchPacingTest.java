package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BatchPacingTest {
  private final BatchPacing pacing = new BatchPacing();

  @Test
  void nothingIsExpectedAtFirst() {
    assertThat(pacing.expected()).isZero();
    assertThat(pacing.waitNanosMax()).isZero();
  }

  @Test
  void commandsWaitUntilMostOfThoseThatWereOutstandingAreQueued() {
    pacing.begun(64);
    assertThat(pacing.expected()).isEqualTo(48);
  }

  @Test
  void fewOutstandingCommandsDoNotWait() {
    pacing.begun(3);
    assertThat(pacing.expected()).isZero();
  }

  @Test
  void theExpectationRisesAtOnceAndFallsInSteps() {
    pacing.begun(4);
    pacing.begun(64);
    assertThat(pacing.expected()).isEqualTo(48);
    pacing.begun(1);
    assertThat(pacing.expected()).isBetween(30, 47);
    for (int i = 0; i < 20; i++) {
      pacing.begun(1);
    }
    assertThat(pacing.expected()).isZero();
  }

  @Test
  void theWaitIsAPartOfTheDurationOfBatchesUpToABound() {
    for (int i = 0; i < 50; i++) {
      pacing.completed(TimeUnit.MILLISECONDS.toNanos(2));
    }
    assertThat(pacing.waitNanosMax()).isBetween(200_000L, 250_000L);
    for (int i = 0; i < 50; i++) {
      pacing.completed(TimeUnit.SECONDS.toNanos(2));
    }
    assertThat(pacing.waitNanosMax()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1));
  }
}

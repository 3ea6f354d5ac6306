package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EntryPacingTest {
  private final EntryPacing pacing = new EntryPacing();

  @Test
  void nothingIsExpectedAtFirst() {
    assertThat(pacing.mayWait(1)).isFalse();
    assertThat(pacing.waitNanosMax()).isZero();
  }

  @Test
  void commandsWaitUntilMostOfThoseThatWereOutstandingAreQueued() {
    pacing.submitted(64);
    assertThat(pacing.mayWait(1)).isTrue();
    assertThat(pacing.mayWait(47)).isTrue();
    assertThat(pacing.mayWait(48)).isFalse();
  }

  @Test
  void theExpectationRisesAtOnceAndFallsInSteps() {
    pacing.submitted(4);
    pacing.submitted(64);
    assertThat(pacing.mayWait(47)).isTrue();
    for (int i = 0; i < 20; i++) {
      pacing.submitted(1);
    }
    assertThat(pacing.mayWait(1)).isFalse();
  }

  @Test
  void theWaitIsAPartOfTheDurationOfEntriesUpToABound() {
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

package io.quorate.ratis.read;

import static io.quorate.ratis.read.PacedLogAppender.PAUSE_MILLIS;
import static io.quorate.ratis.read.PacedLogAppender.waitMillis;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PacedLogAppenderTest {
  private static final long PATIENCE = 1000;

  @Test
  void aFollowerThatAnswersIsSentToAtOnce() {
    assertThat(waitMillis(0, 5, PATIENCE, false)).isZero();
    assertThat(waitMillis(0, PATIENCE, PATIENCE, false)).isZero();
  }

  @Test
  void aFollowerThatIsAwayIsTriedNowAndThen() {
    assertThat(waitMillis(0, PATIENCE + 1, PATIENCE, false)).isEqualTo(PAUSE_MILLIS);
  }

  @Test
  void aFollowerThatTakesNoEntriesOrNeedsASnapshotIsTriedNowAndThen() {
    assertThat(waitMillis(0, 5, PATIENCE, true)).isEqualTo(PAUSE_MILLIS);
  }

  @Test
  void aLongerWaitStays() {
    assertThat(waitMillis(500, PATIENCE + 1, PATIENCE, true)).isEqualTo(500);
  }
}

package io.quorate.ratis.coded;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FallbackTimerTest {
  private static final boolean SENDING = true;
  private static final long START = Long.MAX_VALUE - 5; // nanoTime may overflow

  private final FallbackTimer timer =
      new FallbackTimer(Duration.ofMillis(200), Duration.ofMillis(1200), START);

  private static long at(long millis) {
    return START + Duration.ofMillis(millis).toNanos();
  }

  private boolean isLate(long millis) {
    return timer.isLate(at(millis), SENDING, START);
  }

  @Test
  void aFollowerThatTakesLongerThanOthersIsLate() {
    timer.heldByOthers(at(2));

    assertThat(isLate(199)).isFalse();
    assertThat(isLate(200)).isTrue();
    assertThat(timer.isLate(at(200), SENDING, at(199))).as("progress is of no account").isTrue();
  }

  @Test
  void aFollowerHasAMultipleOfTheTimeOfTheOthers() {
    timer.heldByOthers(at(100));
    timer.heldByOthers(at(150));

    assertThat(isLate(299)).isFalse();
    assertThat(timer.isInTime(at(299))).isTrue();
    assertThat(isLate(300)).isTrue();
    assertThat(timer.isInTime(at(300))).isFalse();
  }

  @Test
  void underLoadAFollowerIsLateOnlyWithoutProgress() {
    timer.heldByOthers(at(1000));

    assertThat(timer.isLate(at(100_000), SENDING, at(98_801))).isFalse();
    assertThat(timer.isLate(at(100_000), SENDING, at(98_800))).isTrue();
    timer.fellBack(at(100_000));
    assertThat(timer.isLate(at(101_199), SENDING, at(98_800))).isFalse();
    assertThat(timer.isLate(at(101_200), SENDING, at(98_800))).isTrue();
  }

  @Test
  void noFollowerIsLateWhileTooFewHaveStoredAnything() {
    assertThat(isLate(100_000)).isFalse();
    assertThat(timer.isInTime(at(100_000))).isTrue();
  }

  @Test
  void aFollowerIsLateIfNothingIsOnItsWayAnyMore() {
    assertThat(timer.isLate(at(199), !SENDING, START)).isFalse();
    assertThat(timer.isLate(at(200), !SENDING, START)).isTrue();
  }

  @Test
  void theNextCopiesAreDueAfterTheSameTime() {
    timer.heldByOthers(at(100));
    timer.fellBack(at(310));

    assertThat(isLate(609)).isFalse();
    assertThat(isLate(610)).isTrue();
  }
}

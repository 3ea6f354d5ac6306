package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.replication.coded.FallbackTimer.Progress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FallbackTimerTest {
  private static final boolean SENDING = true;
  private static final int FRAGMENT_BYTES = 1000;
  private static final long START = Long.MAX_VALUE - 5; // nanoTime may overflow
  private static final Progress NONE = new Progress(START, 0);

  private final FallbackTimer timer =
      new FallbackTimer(Duration.ofMillis(200), Duration.ofMillis(1200), FRAGMENT_BYTES, START);

  private static long at(long millis) {
    return START + Duration.ofMillis(millis).toNanos();
  }

  private boolean isLate(long millis) {
    return timer.isLate(at(millis), SENDING, NONE);
  }

  /** At a time, of a follower that has acknowledged so many bytes until then. */
  private boolean isLate(long millis, long bytes) {
    return timer.isLate(at(millis), SENDING, new Progress(at(millis), bytes));
  }

  private boolean isInTime(long millis, long bytes) {
    return timer.isInTime(at(millis), new Progress(at(millis), bytes));
  }

  private static Progress lastAt(long millis) {
    return new Progress(at(millis), FRAGMENT_BYTES);
  }

  @Test
  void aFollowerThatTakesLongerThanOthersIsLate() {
    timer.heldByOthers(at(2));

    assertThat(isLate(199)).isFalse();
    assertThat(isLate(200)).isTrue();
    assertThat(isLate(200, FRAGMENT_BYTES)).as("little progress is of no account").isTrue();
  }

  @Test
  void aFollowerHasTimeForAllThatItStores() {
    timer.heldByOthers(at(100));

    assertThat(isLate(599, FRAGMENT_BYTES)).isFalse();
    assertThat(isLate(600, FRAGMENT_BYTES)).isTrue();
    assertThat(isLate(100_000, 400 * FRAGMENT_BYTES)).as("as fast as others").isFalse();
    assertThat(isLate(100_000, 300 * FRAGMENT_BYTES)).as("a third as fast").isTrue();
    assertThat(isInTime(599, 2 * FRAGMENT_BYTES)).isTrue();
    assertThat(isInTime(600, 2 * FRAGMENT_BYTES)).isFalse();
  }

  @Test
  void aFollowerHasAMultipleOfTheTimeOfTheOthers() {
    timer.heldByOthers(at(100));
    timer.heldByOthers(at(150));

    assertThat(isLate(299)).isFalse();
    assertThat(isInTime(299, FRAGMENT_BYTES)).isTrue();
    assertThat(isLate(300)).isTrue();
    assertThat(isInTime(300, FRAGMENT_BYTES)).isFalse();
  }

  @Test
  void underLoadAFollowerIsLateOnlyWithoutProgress() {
    timer.heldByOthers(at(1000));

    assertThat(timer.isLate(at(100_000), SENDING, lastAt(98_801))).isFalse();
    assertThat(timer.isLate(at(100_000), SENDING, lastAt(98_800))).isTrue();
    timer.fellBack(at(100_000));
    assertThat(timer.isLate(at(101_199), SENDING, lastAt(98_800))).isFalse();
    assertThat(timer.isLate(at(101_200), SENDING, lastAt(98_800))).isTrue();
  }

  @Test
  void pausesMayBeLongerWhereTheOthersTookLong() {
    timer.heldByOthers(at(8000));

    assertThat(timer.isLate(at(100_000), SENDING, lastAt(96_001))).isFalse();
    assertThat(timer.isLate(at(100_000), SENDING, lastAt(96_000))).isTrue();
  }

  @Test
  void noFollowerIsLateWhileTooFewHaveStoredAnything() {
    assertThat(isLate(100_000)).isFalse();
    assertThat(isInTime(100_000, FRAGMENT_BYTES)).isTrue();
  }

  @Test
  void aFollowerIsLateIfNothingIsOnItsWayAnyMore() {
    assertThat(timer.isLate(at(199), !SENDING, NONE)).isFalse();
    assertThat(timer.isLate(at(200), !SENDING, NONE)).isTrue();
  }

  @Test
  void theNextCopiesAreDueAfterTheSameTime() {
    timer.heldByOthers(at(100));
    timer.fellBack(at(310));

    assertThat(isLate(609)).isFalse();
    assertThat(isLate(610)).isTrue();
  }
}

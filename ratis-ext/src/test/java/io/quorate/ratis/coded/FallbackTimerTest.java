package io.quorate.ratis.coded;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FallbackTimerTest {
  private static final boolean SENDING = true;
  private static final long START = Long.MAX_VALUE - 5; // nanoTime may overflow

  private final FallbackTimer timer = new FallbackTimer(Duration.ofMillis(200), START);

  private static long at(long millis) {
    return START + Duration.ofMillis(millis).toNanos();
  }

  @Test
  void copiesReplaceTheFragmentsOfFollowersThatTakeLongerThanOthers() {
    timer.heldByOthers(at(2));

    assertThat(timer.isDue(at(199), SENDING)).isFalse();
    assertThat(timer.isDue(at(200), SENDING)).isTrue();
  }

  @Test
  void underLoadFollowersHaveAMultipleOfTheTimeOfTheOthers() {
    timer.heldByOthers(at(1000));
    timer.heldByOthers(at(2000));

    assertThat(timer.isDue(at(2999), SENDING)).isFalse();
    assertThat(timer.isInTime(at(2999))).isTrue();
    assertThat(timer.isDue(at(3000), SENDING)).isTrue();
    assertThat(timer.isInTime(at(3000))).isFalse();
  }

  @Test
  void noCopiesAreSentWhileTooFewFollowersHaveStoredAnything() {
    assertThat(timer.isDue(at(100_000), SENDING)).isFalse();
    assertThat(timer.isInTime(at(100_000))).isTrue();
  }

  @Test
  void copiesAreSentIfNothingIsOnItsWayAnyMore() {
    assertThat(timer.isDue(at(199), !SENDING)).isFalse();
    assertThat(timer.isDue(at(200), !SENDING)).isTrue();
  }

  @Test
  void theNextCopiesAreDueAfterTheSameTime() {
    timer.heldByOthers(at(100));
    timer.fellBack(at(310));

    assertThat(timer.isDue(at(609), SENDING)).isFalse();
    assertThat(timer.isDue(at(610), SENDING)).isTrue();
  }
}

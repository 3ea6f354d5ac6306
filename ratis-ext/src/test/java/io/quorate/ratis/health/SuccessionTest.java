package io.quorate.ratis.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.ratis.read.Followers.Follower;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

class SuccessionTest {
  private static final Duration SILENCE_MAX = Duration.ofSeconds(1);
  private static final Duration CATCH_UP = Duration.ofMillis(200);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofMillis(500);
  private static final long LAST_INDEX = 12;
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Succession succession =
      new Succession(SILENCE_MAX, CATCH_UP, RESPONSE_TIMEOUT, PAUSE);
  private long nowNanos = -5;

  @Test
  void theFollowerWithTheHighestMatchIndexIsFirst() {
    assertThat(next(follower("a", 10, 0), follower("b", 12, 0), follower("c", 11, 0)))
        .contains("b");
  }

  @Test
  void itWaitsForAFollowerWithTheWholeLog() {
    assertThat(next(follower("a", 10, 0), follower("b", 11, 0))).isEmpty();
    pass(CATCH_UP.minusMillis(1));
    assertThat(next(follower("a", 12, 0), follower("b", 11, 0))).contains("a");
  }

  @Test
  void afterTheCatchUpTimeAFollowerMayLackEntries() {
    assertThat(next(follower("a", 10, 0), follower("b", 11, 0))).isEmpty();
    pass(CATCH_UP);
    assertThat(next(follower("a", 10, 0), follower("b", 11, 0))).contains("b");
  }

  @Test
  void anUnreachableFollowerIsNotRequested() {
    assertThat(next(follower("a", 12, 0), follower("b", 12, 1001))).contains("a");
    pass(RESPONSE_TIMEOUT);
    assertThat(next(follower("b", 12, 1001))).isEmpty();
  }

  @Test
  void theNextFollowerIsRequestedAfterTheResponseTimeout() {
    assertThat(next(follower("a", 10, 0), follower("b", 12, 0))).contains("b");
    assertThat(next(follower("a", 10, 0), follower("b", 12, 0))).isEmpty();
    pass(RESPONSE_TIMEOUT);
    assertThat(next(follower("a", 10, 0), follower("b", 12, 0))).contains("a");
    pass(RESPONSE_TIMEOUT);
    assertThat(next(follower("a", 10, 0), follower("b", 12, 0))).contains("b");
  }

  @Test
  void afterARefusalTheNextFollowerIsRequestedAfterThePause() {
    assertThat(next(follower("a", 12, 0), follower("b", 13, 0))).contains("b");
    succession.refused(nowNanos);
    assertThat(next(follower("a", 12, 0), follower("b", 13, 0))).isEmpty();
    pass(PAUSE);
    assertThat(next(follower("a", 12, 0), follower("b", 13, 0))).contains("a");
  }

  @Test
  void theFirstRoundEndsWhenEachFollowerWasRequested() {
    Follower[] followers = {follower("a", 12, 0), follower("b", 12, 0), follower("c", 12, 1001)};
    assertThat(isFirstRound(followers)).isTrue();
    assertThat(next(followers)).contains("a");
    succession.refused(nowNanos);
    pass(PAUSE);
    assertThat(isFirstRound(followers)).isTrue();
    assertThat(next(followers)).contains("b");
    succession.refused(nowNanos);
    pass(PAUSE);
    assertThat(isFirstRound(followers)).isFalse();
    assertThat(isFirstRound(follower("c", 12, 1001))).isFalse();
  }

  @Test
  void respondingFollowersAreAMajorityWithoutTheirLeader() {
    Follower fit = follower("a", 12, 0);
    Follower silent = follower("b", 12, 1001);
    assertThat(succession.areMajority(List.of(fit, fit))).isTrue();
    assertThat(succession.areMajority(List.of(fit, silent))).isFalse();
    assertThat(succession.areMajority(List.of(fit, fit, silent))).isFalse();
    assertThat(succession.areMajority(List.of(fit, fit, fit, silent))).isTrue();
    assertThat(succession.areMajority(List.of(fit))).isFalse();
  }

  private boolean isFirstRound(Follower... followers) {
    return succession.isFirstRound(List.of(followers), nowNanos);
  }

  @Test
  void aResetStartsTheSelectionAgain() {
    assertThat(next(follower("a", 10, 0), follower("b", 12, 0))).contains("b");
    succession.reset();
    assertThat(next(follower("a", 10, 0), follower("b", 12, 0))).contains("b");
  }

  private Optional<String> next(Follower... followers) {
    return succession
        .next(List.of(followers), LAST_INDEX, nowNanos)
        .map(next -> next.id().toString());
  }

  private void pass(Duration time) {
    nowNanos += time.toNanos();
  }

  private static Follower follower(String id, long matchIndex, long silentMillis) {
    return new Follower(RaftPeerId.valueOf(id), matchIndex, Duration.ofMillis(silentMillis));
  }
}

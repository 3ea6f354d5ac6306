package io.quorate.ratis.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CommitWatchTest {
  private static final Duration TICK = Duration.ofMillis(50);
  private static final int PATIENCE = (int) CommitWatch.PATIENCE.dividedBy(TICK);

  private final CommitWatch watch = new CommitWatch(TICK);
  private long now;

  /** How many times the leader is to step down. */
  private int run(int ticks, boolean leads, long last, long committed) {
    int stepsDown = 0;
    for (int i = 0; i < ticks; i++) {
      now += TICK.toNanos();
      stepsDown += watch.tick(now, leads, last, committed) ? 1 : 0;
    }
    return stepsDown;
  }

  @Test
  void aLeaderThatCommitsNothingAlthoughEntriesWaitIsStalledAndStepsDown() {
    assertThat(run(PATIENCE, true, 8, 7)).isZero();
    assertThat(watch.isStalled()).isFalse();
    assertThat(run(1, true, 9, 7)).as("more entries are no progress").isZero();
    assertThat(watch.isStalled()).isTrue();
    assertThat(run(PATIENCE - 1, true, 9, 7)).isZero();
    assertThat(run(1, true, 9, 7)).isEqualTo(1);
    assertThat(run(1, true, 9, 8)).isZero();
    assertThat(watch.isStalled()).as("something is committed").isFalse();
  }

  @Test
  void aLeaderWithoutEntriesAndAFollowerAreNotStalled() {
    assertThat(run(2 * PATIENCE, true, 7, 7)).isZero();
    assertThat(run(2 * PATIENCE, false, 8, 7)).isZero();
    assertThat(watch.isStalled()).isFalse();
  }

  @Test
  void aLeaderThatIsElectedAgainStepsDownOnceAMinute() {
    assertThat(run(2 * PATIENCE + 1, true, 8, 7)).isEqualTo(1);
    run(20, false, 8, 7);
    assertThat(watch.isStalled()).isFalse();
    assertThat(run(4 * PATIENCE, true, 9, 7)).isZero();
    assertThat(watch.isStalled()).isTrue();
    assertThat(run(12 * PATIENCE, true, 9, 7)).isEqualTo(2);
  }
}

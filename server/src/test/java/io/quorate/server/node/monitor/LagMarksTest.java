package io.quorate.server.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** For how long a replica is behind. */
class LagMarksTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final LagMarks marks = new LagMarks();

  private long seconds(long at, long applied, long committed) {
    return marks.observe(applied, committed, at * SECOND).toSeconds();
  }

  @Test
  void aReplicaThatHasEverythingIsNotBehind() {
    assertThat(seconds(0, 5, 5)).isZero();
    assertThat(seconds(100, 5, 5)).isZero();
    assertThat(seconds(200, 6, 5)).as("others know less").isZero();
  }

  @Test
  void onePositionIsEnoughAndNoMoreNeedFollow() {
    seconds(0, 5, 5);
    assertThat(seconds(10, 5, 6)).isZero();
    assertThat(seconds(70, 5, 6)).isEqualTo(60);
    assertThat(seconds(80, 5, 900)).as("the first position counts").isEqualTo(70);
  }

  @Test
  void aReplicaThatFollowsAtADistanceIsBehindByThatTime() {
    for (int at = 0; at < 60; at++) {
      assertThat(seconds(at, at - 20, at)).isEqualTo(at == 0 ? 0 : Math.min(at, 19));
    }
    assertThat(seconds(61, 59, 59)).as("it has caught up").isZero();
  }

  @Test
  void withoutNewPositionsItIsBehindUntilTheLastIsApplied() {
    seconds(0, 0, 10);
    seconds(5, 0, 20);
    assertThat(seconds(30, 10, 20)).isEqualTo(25);
    assertThat(seconds(40, 19, 20)).isEqualTo(35);
    assertThat(seconds(41, 20, 20)).isZero();
  }

  @Test
  void whatNobodyHasCommittedAnyMoreDoesNotCount() {
    seconds(0, 5, 1000);
    assertThat(seconds(20, 5, 5)).isZero();
    assertThat(seconds(30, 5, 6)).isZero();
  }

  @Test
  void theMemoryIsBoundedAndTheOldestPositionStays() {
    for (int at = 0; at < 5000; at++) {
      seconds(at, 0, 1 + at);
    }
    assertThat(seconds(5000, 0, 6000)).isEqualTo(5000);
    assertThat(seconds(5001, 1, 6000)).isEqualTo(5000);
    assertThat(seconds(5002, 6000, 6000)).isZero();
  }
}

package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.cluster.DiskUse;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.List;
import org.junit.jupiter.api.Test;

class ByteCostsTest {
  private static final int KIB = 1 << 10;
  private static final DiskUse BEFORE = use(100, 200, 0, 10);

  @Test
  void figuresAreForEachValueAndForTheLeaderAndTheMeanFollower() {
    assertThat(ByteCosts.figures(BEFORE, use(110, 240, 20, 100), 1, 30 * KIB, 2))
        .containsEntry(Metric.LEADER_SENT, 15.0)
        .containsEntry(Metric.LEADER_STORED, 20.0)
        .containsEntry(Metric.FOLLOWER_STORED, 7.5)
        .containsEntry(Metric.WRITTEN, 15.0);
  }

  @Test
  void whatIsNotOnADiskHasNoFigure() {
    assertThat(ByteCosts.figures(BEFORE, use(110, 240, 20, 10), 0, 1, 2))
        .containsOnlyKeys(Metric.LEADER_SENT, Metric.LEADER_STORED, Metric.FOLLOWER_STORED);
  }

  private static DiskUse use(long first, long second, long third, long written) {
    return new DiskUse(List.of(first * KIB, second * KIB, third * KIB), written * KIB);
  }
}

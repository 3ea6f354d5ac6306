package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.cluster.DiskUse;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.List;
import org.junit.jupiter.api.Test;

class ByteCostsTest {
  private static final int KIB = 1 << 10;
  private static final List<DiskUse> BEFORE =
      List.of(new DiskUse(100 * KIB, 10 * KIB), new DiskUse(200 * KIB, 0), new DiskUse(0, 0));

  @Test
  void figuresAreForEachValueAndForTheLeaderAndTheMeanFollower() {
    List<DiskUse> after =
        List.of(
            new DiskUse(110 * KIB, 14 * KIB),
            new DiskUse(240 * KIB, 80 * KIB),
            new DiskUse(20 * KIB, 8 * KIB));

    assertThat(ByteCosts.figures(BEFORE, after, 1, 30 * KIB, 2))
        .containsEntry(Metric.LEADER_SENT, 15.0)
        .containsEntry(Metric.LEADER_STORED, 20.0)
        .containsEntry(Metric.LEADER_WRITTEN, 40.0)
        .containsEntry(Metric.FOLLOWER_STORED, 7.5)
        .containsEntry(Metric.FOLLOWER_WRITTEN, 3.0);
  }

  @Test
  void whatIsNotOnADiskHasNoFigure() {
    List<DiskUse> after =
        List.of(
            new DiskUse(110 * KIB, 10 * KIB), new DiskUse(240 * KIB, 0), new DiskUse(20 * KIB, 0));

    assertThat(ByteCosts.figures(BEFORE, after, 0, 1, 2))
        .containsOnlyKeys(Metric.LEADER_SENT, Metric.LEADER_STORED, Metric.FOLLOWER_STORED);
  }
}

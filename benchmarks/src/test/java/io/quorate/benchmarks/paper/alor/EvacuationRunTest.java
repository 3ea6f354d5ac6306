package io.quorate.benchmarks.paper.alor;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.result.Metric;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** 15 s before devices become slow, and 45 s after. */
class EvacuationRunTest {
  private static double[] seconds(double before, double after) {
    double[] p99 = new double[60];
    Arrays.fill(p99, 0, 15, before);
    Arrays.fill(p99, 15, 60, after);
    return p99;
  }

  @Test
  void theLatencyIsRestoredFromThreeShortSecondsOn() {
    double[] p99 = seconds(10, 15);
    p99[15] = 400;
    p99[18] = 16;
    assertThat(EvacuationRun.latencies(p99))
        .containsEntry(Metric.WRITE_P99, 10.0)
        .containsEntry(Metric.WRITE_P99_SLOW, 15.0)
        .containsEntry(Metric.WRITE_P99_RESTORED, 4.0);
  }

  @Test
  void secondsWithoutWritesAreLongOnes() {
    assertThat(EvacuationRun.latencies(seconds(10, Double.POSITIVE_INFINITY)))
        .containsEntry(Metric.WRITE_P99, 10.0)
        .doesNotContainKey(Metric.WRITE_P99_SLOW)
        .doesNotContainKey(Metric.WRITE_P99_RESTORED);
  }

  @Test
  void aLatencyThatStaysAboveOneAndAHalfIsNotRestored() {
    assertThat(EvacuationRun.latencies(seconds(10, 15.1)))
        .doesNotContainKey(Metric.WRITE_P99_RESTORED);
  }
}

package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.result.Metric;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuProbeTest {
  private static final List<Duration> BEFORE = List.of(Duration.ofMillis(100), Duration.ZERO);
  private static final List<Duration> AFTER =
      List.of(Duration.ofMillis(400), Duration.ofMillis(60));

  @Test
  void figuresAreOfTheIncreaseBetweenTwoReadings() {
    assertThat(CpuProbe.figures(BEFORE, AFTER, Duration.ofMillis(600).toNanos(), 1000))
        .containsEntry(Metric.CPU_PER_CALL, 360.0)
        .containsEntry(Metric.CPU, 60.0)
        .containsEntry(Metric.CPU_BUSIEST, 50.0);
  }

  @Test
  void withoutCompletedCallsThereIsNoCostPerCall() {
    assertThat(CpuProbe.figures(BEFORE, AFTER, Duration.ofMillis(600).toNanos(), 0))
        .doesNotContainKey(Metric.CPU_PER_CALL);
  }
}

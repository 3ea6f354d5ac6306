package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.result.Metric;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadProbeTest {
  private static ReadProbe.Work work(double reads, int millis) {
    return new ReadProbe.Work(reads, Duration.ofMillis(millis));
  }

  @Test
  void figuresAreFractionsOfTheIncrease() {
    assertThat(
            ReadProbe.figures(
                List.of(work(10, 0), work(0, 100), work(0, 0)),
                List.of(work(60, 10), work(10, 180), work(40, 10)),
                1))
        .containsEntry(Metric.READS_AT_LEADER, 10.0)
        .containsEntry(Metric.READS_AT_BUSIEST, 50.0)
        .containsEntry(Metric.CPU_AT_LEADER, 80.0);
  }

  @Test
  void withoutAnIncreaseThereAreNoFigures() {
    List<ReadProbe.Work> same = List.of(work(10, 5), work(3, 5));
    assertThat(ReadProbe.figures(same, same, 0)).isEmpty();
  }
}

package io.quorate.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadWatchTest {
  private static ReadWatch.Work work(double reads, int millis) {
    return new ReadWatch.Work(reads, Duration.ofMillis(millis));
  }

  @Test
  void figuresAreTheLeadersPartOfWhatWasAdded() {
    assertThat(
            ReadWatch.figures(
                List.of(work(10, 0), work(0, 100), work(0, 0)),
                List.of(work(60, 10), work(10, 180), work(40, 10)),
                1))
        .containsEntry(Metric.READS_AT_LEADER, 10.0)
        .containsEntry(Metric.READS_AT_BUSIEST, 50.0)
        .containsEntry(Metric.CPU_AT_LEADER, 80.0);
  }

  @Test
  void whereNothingWasDoneNobodyHasAPart() {
    List<ReadWatch.Work> same = List.of(work(10, 5), work(3, 5));
    assertThat(ReadWatch.figures(same, same, 0)).isEmpty();
  }
}

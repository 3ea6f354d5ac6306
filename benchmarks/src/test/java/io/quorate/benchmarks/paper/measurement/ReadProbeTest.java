package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.quorate.benchmarks.paper.result.Metric;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReadProbeTest {
  private static ReadProbe.Work work(double reads, int millis) {
    return new ReadProbe.Work(reads, Duration.ofMillis(millis), 0);
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

  @Test
  void theUseOfAQuotaIsThatOfTheTimeBetweenTheReadingsOfANode() {
    List<ReadProbe.Work> before = List.of(cpu(5, 0), cpu(0, 0), cpu(10, 100));
    List<ReadProbe.Work> after = List.of(cpu(205, 1000), cpu(50, 1000), cpu(90, 900));

    assertThat(ReadProbe.quotas(before, after, 0, 20))
        .containsOnly(
            entry(Metric.QUOTA_AT_LEADER, 100.0),
            entry(Metric.QUOTA_AT_BUSIEST, 50.0),
            entry(Metric.QUOTA_AT_IDLEST, 25.0));
  }

  private static ReadProbe.Work cpu(int millis, int atMillis) {
    return new ReadProbe.Work(
        0, Duration.ofMillis(millis), TimeUnit.MILLISECONDS.toNanos(atMillis));
  }
}

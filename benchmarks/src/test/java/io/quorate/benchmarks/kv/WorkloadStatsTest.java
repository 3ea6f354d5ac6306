package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class WorkloadStatsTest {
  /** The histogram keeps three digits. */
  private static final Offset<Double> DIGITS = within(1.0);

  @Test
  void percentilesAreThoseOfAllSlices() {
    WorkloadStats tally = new WorkloadStats();
    for (int millis = 1; millis <= 1000; millis++) {
      tally.read(TimeUnit.MILLISECONDS.toNanos(millis));
    }
    tally.measured(TimeUnit.SECONDS.toNanos(2));
    tally.measured(TimeUnit.SECONDS.toNanos(2));

    assertThat(tally.throughput()).isEqualTo(250);
    assertThat(tally.all().millis(50)).isCloseTo(500, DIGITS);
    assertThat(tally.all().millis(99)).isCloseTo(990, DIGITS);
    assertThat(tally.all().millis(99.9)).isCloseTo(999, DIGITS);
  }

  @Test
  void nothingSeenIsZero() {
    WorkloadStats tally = new WorkloadStats();

    assertThat(tally.throughput()).isZero();
    assertThat(tally.all().millis(99)).isZero();
    assertThat(tally.firstError()).isEmpty();
  }

  @Test
  void theFirstErrorIsKept() {
    WorkloadStats tally = new WorkloadStats();
    tally.failed(new IllegalStateException("first"));
    tally.failed(new IllegalStateException("second"));

    assertThat(tally.errors()).isEqualTo(2);
    assertThat(tally.firstError()).get().hasToString("java.lang.IllegalStateException: first");
  }

  @Test
  void theFirstWorkloadIsTheBaseline() {
    Map<Workload, WorkloadStats> tallies = new LinkedHashMap<>();
    tallies.put(new Workload(Operations.PUT, 1, 1024, 0), tallyOf(100, 5));
    tallies.put(new Workload(Operations.PUT, 256, 1024, 0), tallyOf(3000, 10));

    List<Row> rows = KvReport.rows("raft", tallies);

    assertThat(rows).hasSize(10);
    assertThat(rows.get(0).baseline()).isEmpty();
    assertThat(rows.get(5).workload()).isEqualTo("put, 256 clients, 1024 B");
    assertThat(rows.get(5).baseline()).contains("put, 1 client, 1024 B");
    assertThat(rows.get(5).ratio()).hasValue(30);
    assertThat(KvReport.table(tallies, new Machine(2, 0.25)))
        .isEqualTo(
            """
            workload                  ops/s  ratio  p50 ms  p99 ms  p999 ms  errors
            put, 1 client, 1024 B       100   1.00    5.00    5.00     5.00       0
            put, 256 clients, 1024 B   3000  30.00   10.00   10.00    10.00       0
            2 cores, load average 0.25
            """);
  }

  private static WorkloadStats tallyOf(int answers, int millis) {
    WorkloadStats tally = new WorkloadStats();
    for (int i = 0; i < answers; i++) {
      tally.wrote(TimeUnit.MILLISECONDS.toNanos(millis));
    }
    tally.measured(TimeUnit.SECONDS.toNanos(1));
    return tally;
  }
}

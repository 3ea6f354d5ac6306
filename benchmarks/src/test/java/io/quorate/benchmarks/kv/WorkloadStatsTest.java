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
  /** The histogram has a precision of three digits. */
  private static final Offset<Double> PRECISION = within(1.0);

  @Test
  void percentilesAreThoseOfAllSlices() {
    WorkloadStats stats = new WorkloadStats();
    for (int millis = 1; millis <= 1000; millis++) {
      stats.read(TimeUnit.MILLISECONDS.toNanos(millis));
    }
    stats.measured(TimeUnit.SECONDS.toNanos(2));
    stats.measured(TimeUnit.SECONDS.toNanos(2));

    assertThat(stats.throughput()).isEqualTo(250);
    assertThat(stats.all().millis(50)).isCloseTo(500, PRECISION);
    assertThat(stats.all().millis(99)).isCloseTo(990, PRECISION);
    assertThat(stats.all().millis(99.9)).isCloseTo(999, PRECISION);
    assertThat(stats.all().meanMillis()).isCloseTo(500.5, PRECISION);
  }

  @Test
  void withoutCallsAllFiguresAreZero() {
    WorkloadStats stats = new WorkloadStats();

    assertThat(stats.throughput()).isZero();
    assertThat(stats.all().millis(99)).isZero();
    assertThat(stats.all().meanMillis()).isZero();
    assertThat(stats.firstError()).isEmpty();
  }

  @Test
  void theFirstErrorIsKept() {
    WorkloadStats stats = new WorkloadStats();
    stats.failed(new IllegalStateException("first"));
    stats.failed(new IllegalStateException("second"));

    assertThat(stats.errors()).isEqualTo(2);
    assertThat(stats.firstError()).get().hasToString("java.lang.IllegalStateException: first");
  }

  @Test
  void theFirstWorkloadIsTheBaseline() {
    Map<KvWorkload, WorkloadStats> statsByWorkload = new LinkedHashMap<>();
    statsByWorkload.put(new KvWorkload(Operations.PUT, 1, 1024, 0), statsOf(100, 5));
    statsByWorkload.put(new KvWorkload(Operations.PUT, 256, 1024, 0), statsOf(3000, 10));

    List<Row> rows = KvReport.rows("raft", statsByWorkload);

    assertThat(rows).hasSize(10);
    assertThat(rows.get(0).baseline()).isEmpty();
    assertThat(rows.get(5).workload()).isEqualTo("put, 256 clients, 1024 B");
    assertThat(rows.get(5).baseline()).contains("put, 1 client, 1024 B");
    assertThat(rows.get(5).ratio()).hasValue(30);
    assertThat(KvReport.table(statsByWorkload, new Machine(2, 0.25)))
        .isEqualTo(
            """
            workload                  ops/s  ratio  p50 ms  p99 ms  p999 ms  errors
            put, 1 client, 1024 B       100   1.00    5.00    5.00     5.00       0
            put, 256 clients, 1024 B   3000  30.00   10.00   10.00    10.00       0
            2 cores, load average 0.25
            """);
  }

  private static WorkloadStats statsOf(int calls, int millis) {
    WorkloadStats stats = new WorkloadStats();
    for (int i = 0; i < calls; i++) {
      stats.wrote(TimeUnit.MILLISECONDS.toNanos(millis));
    }
    stats.measured(TimeUnit.SECONDS.toNanos(1));
    return stats;
  }
}

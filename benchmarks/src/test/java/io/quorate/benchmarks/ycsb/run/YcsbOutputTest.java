package io.quorate.benchmarks.ycsb.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class YcsbOutputTest {
  private static final YcsbOutput LOAD =
      output(
          """
          [OVERALL], RunTime(ms), 500
          [OVERALL], Throughput(ops/sec), 2000.25
          [INSERT], Operations, 1000
          [INSERT], AverageLatency(us), 900.0
          [INSERT], Return=OK, 1000
          """);

  private static final YcsbOutput TRANSACTIONS =
      output(
          """
          [OVERALL], RunTime(ms), 1000
          [OVERALL], Throughput(ops/sec), 1500.0
          [TOTAL_GC_TIME_%], Time(%), 0.25
          [CLEANUP], Operations, 4
          [CLEANUP], AverageLatency(us), 7.5
          [READ], Operations, 900
          [READ], AverageLatency(us), 1234.5
          [READ], MinLatency(us), 300
          [READ], MaxLatency(us), 90000
          [READ], 95thPercentileLatency(us), 2000
          [READ], 99thPercentileLatency(us), 4500
          [READ], 99.9PercentileLatency(us), 80000
          [READ], Return=OK, 890
          [READ], Return=NOT_FOUND, 10
          [READ-FAILED], Operations, 3
          [READ-MODIFY-WRITE], Operations, 600
          [READ-MODIFY-WRITE], AverageLatency(us), 3000.0
          [UPDATE], Operations, 599
          [UPDATE], AverageLatency(us), 2000.0
          [UPDATE], Return=OK, 599
          [UPDATE], Return=UNEXPECTED_STATE, 1
          """);

  @Test
  void figuresOfOperationsAreFound() {
    assertThat(TRANSACTIONS.throughput()).hasValue(1500);
    assertThat(TRANSACTIONS.operations())
        .containsOnlyKeys("READ", "UPDATE", "READ-MODIFY-WRITE")
        .containsEntry(
            "READ", new OperationStats(900, 1.2345, Map.of(95.0, 2.0, 99.0, 4.5, 99.9, 80.0)));
  }

  @Test
  void otherResultsThanSuccessAreFailures() {
    assertThat(TRANSACTIONS.successes()).isEqualTo(890 + 599);
    assertThat(TRANSACTIONS.failures()).isEqualTo(11);
    assertThat(output("[VERIFY], Return=UNEXPECTED_STATE, 2\n[VERIFY], Return=OK, 9").failures())
        .isEqualTo(2);
  }

  @Test
  void theReportHasARowForEachFigure() {
    YcsbReport report = new YcsbReport("f", "raft", LOAD, TRANSACTIONS);

    assertThat(report.rows())
        .startsWith(
            new Row("ycsb", "f", "raft", "load-throughput", 2000.25, "ops/s"),
            new Row("ycsb", "f", "raft", "throughput", 1500, "ops/s"),
            new Row("ycsb", "f", "raft", "read-mean", 1.2345, "ms"),
            new Row("ycsb", "f", "raft", "read-p95", 2, "ms"),
            new Row("ycsb", "f", "raft", "read-p99", 4.5, "ms"),
            new Row("ycsb", "f", "raft", "read-p99.9", 80, "ms"),
            new Row("ycsb", "f", "raft", "update-mean", 2, "ms"))
        .endsWith(new Row("ycsb", "f", "raft", "errors", 11, "calls"));
    assertThat(report.table(new Machine(2, 0.5)))
        .isEqualTo(
            """
            f, preset raft: 1500 ops/s, 11 errors; loaded at 2000 ops/s
            operation          count  mean ms  p95 ms  p99 ms
            read                 900     1.23    2.00    4.50
            update               599     2.00       -       -
            read-modify-write    600     3.00       -       -
            2 cores, load average 0.50
            """);
  }

  @Test
  void aRunWithoutAReportHasTheExceptionThatEndedIt() {
    YcsbOutput failed =
        new YcsbOutput(
            List.of(),
            List.of(
                "Loading workload...",
                "quorate: init: No node responds.",
                "quorate: init: No node responds.",
                "Exception in thread \"main\" java.lang.NumberFormatException: For input: \"x\"",
                "\tat site.ycsb.Client.main(Client.java:306)"));

    assertThat(failed.throughput()).isEmpty();
    assertThat(failed.exception()).hasValue("NumberFormatException: For input: \"x\"");
    assertThat(failed.notices()).containsExactly("init: No node responds.");
  }

  @Test
  void onlyLinesOfTheReportAreMeasurements() {
    assertThat(YcsbOutput.isMeasurement("[READ], 95thPercentileLatency(us), 12")).isTrue();
    assertThat(YcsbOutput.isMeasurement("DBWrapper: codes to track for latency are: []")).isFalse();
    assertThat(
            YcsbOutput.isMeasurement(
                "2026-01-01 00:00:00:000 1 sec: 5 operations; [READ: Count=5, Max=7]"))
        .isFalse();
  }

  private static YcsbOutput output(String lines) {
    return new YcsbOutput(lines.lines().toList(), List.of());
  }
}

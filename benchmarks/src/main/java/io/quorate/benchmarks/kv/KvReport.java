package io.quorate.benchmarks.kv;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The report of {@code bench kv}: the first workload is the baseline of all others. */
final class KvReport {
  private static final String EXPERIMENT = "kv";
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final double P999 = 99.9;

  private KvReport() {}

  /**
   * @param statsByWorkload in the order of the report
   */
  static List<Row> rows(String preset, Map<KvWorkload, WorkloadStats> statsByWorkload) {
    List<Row> rows = new ArrayList<>();
    List<Row> first = List.of();
    String baseline = "";
    for (Map.Entry<KvWorkload, WorkloadStats> entry : statsByWorkload.entrySet()) {
      List<Row> own = rowsOf(entry.getKey().name(), preset, entry.getValue());
      if (first.isEmpty()) {
        first = own;
        baseline = entry.getKey().name();
        rows.addAll(own);
      } else {
        for (int i = 0; i < own.size(); i++) {
          rows.add(own.get(i).against(baseline, first.get(i)));
        }
      }
    }
    return rows;
  }

  private static List<Row> rowsOf(String workload, String preset, WorkloadStats stats) {
    return List.of(
        new Row(EXPERIMENT, workload, preset, "throughput", stats.throughput(), "ops/s"),
        new Row(EXPERIMENT, workload, preset, "p50", stats.all().millis(P50), "ms"),
        new Row(EXPERIMENT, workload, preset, "p99", stats.all().millis(P99), "ms"),
        new Row(EXPERIMENT, workload, preset, "p999", stats.all().millis(P999), "ms"),
        new Row(EXPERIMENT, workload, preset, "errors", stats.errors(), "calls"));
  }

  /** The same figures as a text table; ratios are of throughput. */
  static String table(Map<KvWorkload, WorkloadStats> statsByWorkload, Machine machine) {
    TextTable table =
        TextTable.ofFigures("workload", "ops/s", "ratio", "p50 ms", "p99 ms", "p999 ms", "errors");
    double baseline = statsByWorkload.values().iterator().next().throughput();
    statsByWorkload.forEach(
        (workload, stats) ->
            table.add(
                workload.name(),
                format("%.0f", stats.throughput()),
                baseline == 0 ? "-" : format("%.2f", stats.throughput() / baseline),
                format("%.2f", stats.all().millis(P50)),
                format("%.2f", stats.all().millis(P99)),
                format("%.2f", stats.all().millis(P999)),
                Long.toString(stats.errors())));
    return table.render()
        + format("%d cores, load average %.2f%n", machine.cores(), machine.load());
  }

  /**
   * The same figures for each second of a workload, whose row has the number of the second in its
   * name, from 1.
   *
   * @param ready time until the cluster served, if it was started for this measurement
   */
  static List<Row> seriesRows(
      String preset, KvWorkload workload, Optional<Duration> ready, List<WorkloadStats> seconds) {
    List<Row> rows = new ArrayList<>();
    ready.ifPresent(
        time ->
            rows.add(new Row(EXPERIMENT, workload.name(), preset, "ready", time.toMillis(), "ms")));
    for (int i = 0; i < seconds.size(); i++) {
      rows.addAll(rowsOf(workload.name() + ", second " + (i + 1), preset, seconds.get(i)));
    }
    return rows;
  }

  /** The figures of each second as a text table. */
  static String seriesTable(
      KvWorkload workload, Optional<Duration> ready, List<WorkloadStats> seconds, Machine machine) {
    TextTable table =
        TextTable.ofFigures("second", "ops/s", "p50 ms", "p99 ms", "p999 ms", "errors");
    for (int i = 0; i < seconds.size(); i++) {
      WorkloadStats stats = seconds.get(i);
      table.add(
          Integer.toString(i + 1),
          format("%.0f", stats.throughput()),
          format("%.2f", stats.all().millis(P50)),
          format("%.2f", stats.all().millis(P99)),
          format("%.2f", stats.all().millis(P999)),
          Long.toString(stats.errors()));
    }
    return workload.name()
        + ready.map(time -> format("; ready after %d ms", time.toMillis())).orElse("")
        + format("%n")
        + table.render()
        + format("%d cores, load average %.2f%n", machine.cores(), machine.load());
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}

package io.quorate.benchmarks.kv;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.Row;
import io.quorate.benchmarks.report.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What {@code bench kv} saw: the first workload is the baseline of all others. */
final class KvReport {
  private static final String EXPERIMENT = "kv";
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final double P999 = 99.9;

  private KvReport() {}

  /**
   * @param tallies by workload, in the order to tell them in
   */
  static List<Row> rows(String preset, Map<Workload, Tally> tallies) {
    List<Row> rows = new ArrayList<>();
    List<Row> first = List.of();
    String baseline = "";
    for (Map.Entry<Workload, Tally> entry : tallies.entrySet()) {
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

  private static List<Row> rowsOf(String workload, String preset, Tally tally) {
    return List.of(
        new Row(EXPERIMENT, workload, preset, "throughput", tally.throughput(), "ops/s"),
        new Row(EXPERIMENT, workload, preset, "p50", tally.all().millis(P50), "ms"),
        new Row(EXPERIMENT, workload, preset, "p99", tally.all().millis(P99), "ms"),
        new Row(EXPERIMENT, workload, preset, "p999", tally.all().millis(P999), "ms"),
        new Row(EXPERIMENT, workload, preset, "errors", tally.errors(), "calls"));
  }

  /** The same for people; ratios are of throughput. */
  static String table(Map<Workload, Tally> tallies, Machine machine) {
    TextTable table =
        new TextTable("workload", "ops/s", "ratio", "p50 ms", "p99 ms", "p999 ms", "errors");
    double baseline = tallies.values().iterator().next().throughput();
    tallies.forEach(
        (workload, tally) ->
            table.add(
                workload.name(),
                format("%.0f", tally.throughput()),
                baseline == 0 ? "-" : format("%.2f", tally.throughput() / baseline),
                format("%.2f", tally.all().millis(P50)),
                format("%.2f", tally.all().millis(P99)),
                format("%.2f", tally.all().millis(P999)),
                Long.toString(tally.errors())));
    return table.render()
        + format("%d cores, load average %.2f%n", machine.cores(), machine.load());
  }

  /**
   * The same for each second of a workload, which is named after its number, from 1.
   *
   * @param ready how long the cluster took to serve, if it was started for this
   */
  static List<Row> seriesRows(
      String preset, Workload workload, Optional<Duration> ready, List<Tally> seconds) {
    List<Row> rows = new ArrayList<>();
    ready.ifPresent(
        time ->
            rows.add(new Row(EXPERIMENT, workload.name(), preset, "ready", time.toMillis(), "ms")));
    for (int i = 0; i < seconds.size(); i++) {
      rows.addAll(rowsOf(workload.name() + ", second " + (i + 1), preset, seconds.get(i)));
    }
    return rows;
  }

  /** The same for people. */
  static String seriesTable(
      Workload workload, Optional<Duration> ready, List<Tally> seconds, Machine machine) {
    TextTable table = new TextTable("second", "ops/s", "p50 ms", "p99 ms", "p999 ms", "errors");
    for (int i = 0; i < seconds.size(); i++) {
      Tally tally = seconds.get(i);
      table.add(
          Integer.toString(i + 1),
          format("%.0f", tally.throughput()),
          format("%.2f", tally.all().millis(P50)),
          format("%.2f", tally.all().millis(P99)),
          format("%.2f", tally.all().millis(P999)),
          Long.toString(tally.errors()));
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

package io.quorate.benchmarks.ycsb.run;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The report of {@code bench ycsb}. Latencies are those of the transactions.
 *
 * @param workload its name
 * @param preset of the cluster
 * @param load a complete load
 * @param transactions a complete run
 */
record YcsbReport(String workload, String preset, YcsbOutput load, YcsbOutput transactions) {
  static final String EXPERIMENT = "ycsb";

  private static final double P95 = 95;
  private static final double P99 = 99;

  /** The figures, with all percentiles that YCSB was configured to report. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.add(row("load-throughput", load.throughput().orElse(0), "ops/s"));
    rows.add(row("throughput", transactions.throughput().orElse(0), "ops/s"));
    transactions
        .operations()
        .forEach(
            (operation, stats) -> {
              rows.add(row(metric(operation, "mean"), stats.meanMillis(), "ms"));
              stats
                  .millisByPercentile()
                  .forEach(
                      (percentile, millis) ->
                          rows.add(row(metric(operation, percentile(percentile)), millis, "ms")));
            });
    rows.add(row("errors", transactions.failures(), "calls"));
    return rows;
  }

  private Row row(String metric, double value, String unit) {
    return new Row(EXPERIMENT, workload, preset, metric, value, unit);
  }

  private static String metric(String operation, String figure) {
    return operation.toLowerCase(Locale.ROOT) + "-" + figure;
  }

  /** As {@code p99} or {@code p99.9}. */
  private static String percentile(double value) {
    return "p"
        + new DecimalFormat("0.###", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
  }

  /** The main figures as text. */
  String table(Machine machine) {
    TextTable table = TextTable.ofFigures("operation", "count", "mean ms", "p95 ms", "p99 ms");
    transactions
        .operations()
        .forEach(
            (operation, stats) ->
                table.add(
                    operation.toLowerCase(Locale.ROOT),
                    Long.toString(stats.count()),
                    format("%.2f", stats.meanMillis()),
                    millis(stats, P95),
                    millis(stats, P99)));
    return format(
            "%s, preset %s: %.0f ops/s, %d errors; loaded at %.0f ops/s%n",
            workload,
            preset,
            transactions.throughput().orElse(0),
            transactions.failures(),
            load.throughput().orElse(0))
        + table.render()
        + format("%d cores, load average %.2f%n", machine.cores(), machine.load());
  }

  private static String millis(OperationStats stats, double percentile) {
    Double millis = stats.millisByPercentile().get(percentile);
    return millis == null ? "-" : format("%.2f", millis);
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}

package io.quorate.benchmarks.ycsb.run;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.Row;
import io.quorate.client.cli.format.TextTable;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The report of {@code bench ycsb}. */
final class YcsbReport {
  static final String EXPERIMENT = "ycsb";

  private YcsbReport() {}

  /** The figures of both phases; those of operations are of the transactions. */
  static List<Row> rows(String workload, String preset, YcsbOutput load, YcsbOutput transactions) {
    Rows rows = new Rows(workload, preset);
    rows.add("load-throughput", load.throughput().orElse(0), "ops/s");
    rows.add("throughput", transactions.throughput().orElse(0), "ops/s");
    transactions
        .operations()
        .forEach(
            (operation, stats) -> {
              String prefix = operation.toLowerCase(Locale.ROOT) + "-";
              rows.add(prefix + "mean", stats.meanMillis(), "ms");
              stats
                  .millisByPercentile()
                  .forEach(
                      (percentile, millis) ->
                          rows.add(prefix + "p" + percentileName(percentile), millis, "ms"));
            });
    rows.add("errors", transactions.failures(), "calls");
    return rows.list;
  }

  private record Rows(String workload, String preset, List<Row> list) {
    Rows(String workload, String preset) {
      this(workload, preset, new ArrayList<>());
    }

    void add(String metric, double value, String unit) {
      list.add(new Row(EXPERIMENT, workload, preset, metric, value, unit));
    }
  }

  /** The figures as a text table. */
  static String table(List<Row> rows, Machine machine) {
    TextTable table = TextTable.ofFigures("workload", "preset", "figure", "value", "unit");
    for (Row row : rows) {
      table.add(
          row.workload(),
          row.preset(),
          row.metric(),
          String.format(Locale.ROOT, row.unit().equals("ms") ? "%.2f" : "%.0f", row.value()),
          row.unit());
    }
    return table.render()
        + String.format(
            Locale.ROOT, "%d cores, load average %.2f%n", machine.cores(), machine.load());
  }

  /** As {@code 99} or {@code 99.9}. */
  private static String percentileName(double percentile) {
    return new DecimalFormat("0.###", DecimalFormatSymbols.getInstance(Locale.ROOT))
        .format(percentile);
  }
}

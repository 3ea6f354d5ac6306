package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.report.TextTable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** Results as tables for people. */
public final class ResultTables {
  private static final String NOTHING = "-";
  private static final double PERCENT = 100;

  private final Results results;
  private final Comparison comparison;

  public ResultTables(Results results, Comparison comparison) {
    this.results = results;
    this.comparison = comparison;
  }

  /** Throughput and latencies of one experiment, each contender beside its baseline. */
  public TextTable figures(String experiment) {
    TextTable table =
        new TextTable(
            "load",
            "ops/s",
            "spread",
            "ratio",
            "paper",
            "read p50 ms",
            "ratio",
            "paper",
            "p99",
            "write p50 ms",
            "ratio",
            "p99",
            "errors");
    for (Case each : results.cases(experiment)) {
      table.add(heading(each, 12));
      for (Contender contender : each.contenders()) {
        table.add(
            "  " + contender.name(),
            median(each, contender, Metric.THROUGHPUT, "%.0f"),
            spread(each, contender),
            ratio(each, contender, Metric.THROUGHPUT),
            paper(each, contender, Metric.THROUGHPUT),
            median(each, contender, Metric.READ_P50, "%.2f"),
            ratio(each, contender, Metric.READ_P50),
            paper(each, contender, Metric.READ_P50),
            median(each, contender, Metric.READ_P99, "%.2f"),
            median(each, contender, Metric.WRITE_P50, "%.2f"),
            ratio(each, contender, Metric.WRITE_P50),
            median(each, contender, Metric.WRITE_P99, "%.2f"),
            median(each, contender, Metric.ERRORS, "%.0f"));
      }
    }
    return table;
  }

  /** Each aim with what was measured, and whether it was met; those not measured are left out. */
  public TextTable aims(List<Aim> aims) {
    TextTable table = new TextTable("aim", "wished for", "measured", "verdict");
    for (Aim aim : aims) {
      aim.ratio(results)
          .ifPresent(
              ratio ->
                  table.add(
                      aim.text(),
                      aim.wish(),
                      text("%.3f", ratio),
                      aim.isMet(ratio) ? "met" : "missed"));
    }
    return table;
  }

  private static String[] heading(Case measured, int further) {
    String[] cells = new String[further + 1];
    Arrays.fill(cells, "");
    cells[0] = measured.name();
    return cells;
  }

  /** The median of a figure; a dash where there is none. */
  public String median(Case measured, Contender contender, Metric metric, String pattern) {
    return results
        .of(measured, contender, metric)
        .map(rounds -> text(pattern, rounds.median()))
        .orElse(NOTHING);
  }

  private String spread(Case measured, Contender contender) {
    return results
        .of(measured, contender, Metric.THROUGHPUT)
        .map(rounds -> text("%.0f %%", rounds.spread() * PERCENT))
        .orElse(NOTHING);
  }

  private String ratio(Case measured, Contender contender, Metric metric) {
    Optional<Contender> baseline = comparison.baseline(contender);
    return baseline.isEmpty()
        ? NOTHING
        : text(results.ratio(measured, contender, baseline.get(), metric));
  }

  private String paper(Case measured, Contender contender, Metric metric) {
    return text(comparison.paper(measured, contender, metric));
  }

  private static String text(OptionalDouble value) {
    return value.isPresent() ? text("%.2f", value.getAsDouble()) : NOTHING;
  }

  private static String text(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}

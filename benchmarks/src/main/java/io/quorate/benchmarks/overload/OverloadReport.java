package io.quorate.benchmarks.overload;

import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import io.quorate.benchmarks.plot.PlotColor;
import io.quorate.benchmarks.plot.Scale;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;

/** Tables, rows and plots of the results. Without side effects. */
record OverloadReport(List<OverloadResult> results) {
  static final String NAME = "overload";
  private static final double PERCENT = 100;

  /** A figure of a level, as a part of what the database does undisturbed. */
  private interface Figure extends BiFunction<OverloadResult, OverloadLevel, Double> {}

  Map<String, TextTable> tables() {
    Map<String, TextTable> tables = new LinkedHashMap<>();
    for (int bytes : sizes()) {
      TextTable table =
          TextTable.ofFigures(
              "database",
              "times the peak",
              "offered/s",
              "served/s",
              "% of the peak",
              "failed %",
              "not sent %",
              "p99 ms",
              "modest p50 ms",
              "modest p99 ms",
              "of alone",
              "modest failed",
              "refused in 4 ms, %",
              "health p99 ms");
      of(bytes).forEach(result -> result.levels().forEach(level -> add(table, result, level)));
      tables.put("Puts of " + bytes + " B", table);
    }
    TextTable base =
        TextTable.ofFigures(
            "database", "value B", "peak/s", "modest p50 ms", "modest p99 ms", "after 5 s, %");
    for (OverloadResult result : results) {
      base.add(
          result.contender(),
          Integer.toString(result.valueBytes()),
          text(0, result.peak()),
          text(1, result.alone().p50()),
          text(1, result.alone().p99()),
          text(0, PERCENT * result.recovered() / result.peak()));
    }
    tables.put("The peak, the modest client alone, and puts in the fifth second after", base);
    return tables;
  }

  private static void add(TextTable table, OverloadResult result, OverloadLevel level) {
    table.add(
        result.contender(),
        text(1, level.multiple()),
        text(0, level.offered()),
        text(0, level.calls().served()),
        text(0, PERCENT * level.calls().served() / result.peak()),
        text(1, level.calls().failed()),
        text(1, level.calls().unsent()),
        text(0, level.calls().p99()),
        text(1, level.modest().p50()),
        text(1, level.modest().p99()),
        text(1, level.modest().p99() / result.alone().p99()),
        level.modest().failed() + " of " + level.modest().calls(),
        level.refusedInTime().isEmpty() ? "-" : text(1, level.refusedInTime().getAsDouble()),
        level.health().calls() == 0 ? "-" : text(0, level.health().p99()));
  }

  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (OverloadResult result : results) {
      String of = result.valueBytes() + " B";
      rows.add(row(result, of, "peak", result.peak(), "ops/s"));
      rows.add(row(result, of, "modest p99 alone", result.alone().p99(), "ms"));
      rows.add(row(result, of, "throughput after 5 s", result.recovered(), "ops/s"));
      for (OverloadLevel level : result.levels()) {
        String at = of + ", " + text(1, level.multiple()) + " times the peak";
        rows.add(row(result, at, "offered", level.offered(), "ops/s"));
        rows.add(row(result, at, "served", level.calls().served(), "ops/s"));
        rows.add(row(result, at, "failed", level.calls().failed(), "%"));
        rows.add(row(result, at, "not sent", level.calls().unsent(), "%"));
        rows.add(row(result, at, "p99", level.calls().p99(), "ms"));
        rows.add(row(result, at, "modest p99", level.modest().p99(), "ms"));
        rows.add(row(result, at, "modest failed", level.modest().failed(), ""));
        rows.add(row(result, at, "health p99", level.health().p99(), "ms"));
        level
            .refusedInTime()
            .ifPresent(percent -> rows.add(row(result, at, "refused in 4 ms", percent, "%")));
      }
    }
    return rows;
  }

  /** By file name. */
  Map<String, Plot> plots() {
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (int bytes : sizes()) {
      plots.put(
          "overload-served-" + bytes,
          plot(
              bytes,
              "Puts that succeeded",
              "% of the peak",
              (result, level) -> PERCENT * level.calls().served() / result.peak()));
      plots.put(
          "overload-failed-" + bytes,
          plot(
              bytes,
              "Puts that failed",
              "% of those sent",
              (result, level) -> level.calls().failed()));
      plots.put(
          "overload-modest-" + bytes,
          plot(
              bytes,
              "p99 of a modest client",
              "times that of alone",
              (result, level) -> level.modest().p99() / result.alone().p99()));
    }
    return plots;
  }

  private Plot plot(int bytes, String title, String unit, Figure figure) {
    List<Series> series = new ArrayList<>();
    for (OverloadResult result : of(bytes)) {
      List<Point> points = new ArrayList<>();
      for (OverloadLevel level : result.levels()) {
        double value = figure.apply(result, level);
        points.add(new Point(level.multiple(), value, value, value));
      }
      series.add(new Series(result.contender(), PlotColor.ofSeries(series.size()), points));
    }
    return new Plot(
        title,
        bytes + " B",
        new Axis("offered, times the peak", Scale.LOGARITHMIC),
        new Axis(unit, Scale.LINEAR),
        series);
  }

  private List<Integer> sizes() {
    return results.stream().map(OverloadResult::valueBytes).distinct().toList();
  }

  private List<OverloadResult> of(int bytes) {
    return results.stream().filter(result -> result.valueBytes() == bytes).toList();
  }

  private static Row row(
      OverloadResult result, String load, String metric, double value, String unit) {
    return new Row(NAME, load, result.contender(), metric, value, unit);
  }

  private static String text(int digits, double value) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}

package io.quorate.benchmarks.peers.run;

import io.quorate.benchmarks.kv.Latencies;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Rounds;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import io.quorate.benchmarks.plot.PlotColor;
import io.quorate.benchmarks.plot.Scale;
import io.quorate.benchmarks.report.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** Percentiles of the latencies of all calls, for each load and system. Not thread-safe. */
public final class LatencyDistributions {
  static final List<Double> PERCENTS = List.of(50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9);

  private static final double WHOLE = 100;

  private record Cell(Case measured, SystemUnderTest system) {}

  /** The percentiles of each round. */
  private final Map<Cell, List<List<Double>>> cells = new LinkedHashMap<>();

  /** Adds the latencies of the next round, if there were calls. */
  void add(Case measured, SystemUnderTest system, Latencies latencies) {
    if (latencies.count() > 0) {
      cells
          .computeIfAbsent(new Cell(measured, system), absent -> new ArrayList<>())
          .add(PERCENTS.stream().map(latencies::millis).toList());
    }
  }

  /** A row for each percentile: the median of the rounds. */
  public List<Row> rows(String experiment) {
    List<Row> rows = new ArrayList<>();
    cells.forEach(
        (cell, rounds) -> {
          for (int i = 0; i < PERCENTS.size(); i++) {
            rows.add(
                new Row(
                    experiment,
                    cell.measured().name(),
                    cell.system().name(),
                    label(PERCENTS.get(i)),
                    percentile(rounds, i).median(),
                    "ms"));
          }
        });
    return rows;
  }

  /** The name of a percentile, such as {@code p50} and {@code p99.9}. */
  static String label(double percent) {
    return String.format(Locale.ROOT, percent == Math.rint(percent) ? "p%.0f" : "p%.1f", percent);
  }

  /**
   * Plots the percentiles of one load. The horizontal axis has the number of calls of which one
   * takes at least this long: 2 for the median, 100 for the 99th percentile.
   */
  public Plot plot(Case measured, List<SystemUnderTest> systems) {
    List<Series> series =
        IntStream.range(0, systems.size())
            .mapToObj(
                i ->
                    new Series(
                        systems.get(i).name(),
                        PlotColor.ofSeries(i),
                        points(cells.getOrDefault(new Cell(measured, systems.get(i)), List.of()))))
            .toList();
    return new Plot(
        "Distribution of latency",
        measured.load().name(),
        new Axis(
            "one call in so many takes at least this long (2: median, 100: p99)",
            Scale.LOGARITHMIC),
        new Axis("latency, ms", Scale.LOGARITHMIC),
        series);
  }

  private static List<Point> points(List<List<Double>> rounds) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < PERCENTS.size() && !rounds.isEmpty(); i++) {
      Rounds figures = percentile(rounds, i);
      points.add(
          new Point(
              WHOLE / (WHOLE - PERCENTS.get(i)), figures.median(), figures.min(), figures.max()));
    }
    return points;
  }

  private static Rounds percentile(List<List<Double>> rounds, int index) {
    return new Rounds(rounds.stream().map(round -> round.get(index)).toList());
  }
}

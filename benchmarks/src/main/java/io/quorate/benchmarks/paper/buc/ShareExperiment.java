package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.SyncLatency;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Pair;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Mark;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import io.quorate.benchmarks.plot.PlotColor;
import io.quorate.benchmarks.plot.Scale;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How much a response at commit gains, over the share that apply has in the time of a write: with
 * puts of few closed-loop clients, and fsyncs of a chosen time in both logs. Without side effects.
 */
final class ShareExperiment {
  static final String NAME = "buc-share";

  /** The same on devices of limited speed, without injected times. */
  static final String DEVICES = NAME + "-devices";

  static final String TITLE = "Share of apply in the time of a write";

  /** Both logs on devices of one class, for which the paper's gain is expected. */
  static final SyncLatency TWO_LOGS_OF_ONE_MILLISECOND = SyncLatency.both(Duration.ofMillis(1));

  /** The share of apply in the paper's system, as its gain and its latencies imply. */
  private static final double PAPER_SHARE = 0.384;

  /** The expected gain with both logs synced in a millisecond. */
  private static final double GAIN = 1.6;

  private static final String AIMS = NAME + "-aims";
  private static final int CURVE_STEPS = 60;
  private static final double CURVE_STEP = 0.01;

  private final BucSystems systems;

  ShareExperiment(BucSystems systems) {
    this.systems = systems;
  }

  List<Case> cases(BucScale.ShareSweep sweep, int replicas, BucLoads loads) {
    StorageVariant storage = sweep.storage();
    String experiment = storage == StorageVariant.ON_DEVICES ? DEVICES : NAME;
    List<Case> cases = new ArrayList<>();
    for (Conditions conditions : sweep.conditions()) {
      for (int clients : sweep.clients()) {
        cases.add(
            new Case(
                experiment,
                storage.clusters(replicas),
                conditions,
                loads.puts(clients),
                systems.trio(storage).all(),
                Observation.APPLY));
      }
    }
    return cases;
  }

  /** The measured cases, in the order of the measurements. */
  static List<Case> measured(Results results) {
    return Stream.of(NAME, DEVICES).flatMap(name -> results.cases(name).stream()).toList();
  }

  /** The measured points, in the order of the measurements. */
  List<SharePoint> points(Results results) {
    List<SharePoint> points = new ArrayList<>();
    for (Case each : measured(results)) {
      BucSystems.Trio trio = trioOf(each);
      for (SystemUnderTest contender : trio.respondingAtCommit()) {
        SharePoint.of(results, each, trio, contender).ifPresent(points::add);
      }
    }
    return points;
  }

  private BucSystems.Trio trioOf(Case one) {
    return systems.trio(StorageVariant.of(one));
  }

  /** The heading of {@link #table}, with the number of points that meet the aim. */
  String heading(Results results) {
    List<SharePoint> accepted =
        points(results).stream().filter(point -> point.rejection().isEmpty()).toList();
    return String.format(
        Locale.ROOT,
        "Aim: gain × (1 - share) from %.1f to %.1f, met at %d of %d accepted points",
        1 - SharePoint.TOLERANCE,
        1 + SharePoint.TOLERANCE,
        accepted.stream().filter(SharePoint::isOnCurve).count(),
        accepted.size());
  }

  /** A line for each point. */
  TextTable table(Results results) {
    TextTable table =
        TextTable.ofFigures(
            "load",
            "system",
            "share",
            "gain",
            "rounds",
            "gain × (1 - share)",
            "CPU %",
            "batches waiting",
            "verdict");
    for (SharePoint point : points(results)) {
      table.add(
          point.measured().name(),
          point.contender().name(),
          text("%.3f", point.share()),
          text("%.2f", point.gains().median()),
          text("%.2f", point.gains().min()) + " to " + text("%.2f", point.gains().max()),
          text("%.2f", point.product()),
          text("%.0f", point.cpuPercent()),
          text("%.0f", point.batchesWaiting()),
          point
              .rejection()
              .map(reason -> "rejected: " + reason)
              .orElse(point.isOnCurve() ? "accepted: met" : "accepted: missed"));
    }
    return table;
  }

  private static String text(String pattern, double value) {
    return String.format(Locale.ROOT, pattern, value);
  }

  /** The product of each accepted point. */
  List<Row> rows(Results results) {
    return points(results).stream()
        .filter(point -> point.rejection().isEmpty())
        .map(
            point ->
                new Row(
                    AIMS,
                    point.measured().name(),
                    point.contender().name(),
                    "gain-by-rest",
                    point.product(),
                    "gain × (1 - share), expected 1"))
        .toList();
  }

  /** The gains that are expected of the accepted points. */
  List<RatioExpectation> expectations(Results results) {
    return points(results).stream()
        .filter(point -> point.rejection().isEmpty())
        .filter(point -> point.measured().conditions().syncs().equals(TWO_LOGS_OF_ONE_MILLISECOND))
        .map(
            point ->
                new Pair(point.measured(), point.contender(), trioOf(point.measured()).raft())
                    .atLeast(Metric.THROUGHPUT, GAIN))
        .toList();
  }

  /** The points on the curve that they should be on, by file name; empty without points. */
  Map<String, Plot> plots(Results results) {
    List<SharePoint> points = points(results);
    if (points.isEmpty()) {
      return Map.of();
    }
    List<Series> series = new ArrayList<>();
    series.add(curve());
    series.add(paper());
    List<String> names = points.stream().map(point -> point.contender().name()).distinct().toList();
    for (boolean rejected : new boolean[] {false, true}) {
      for (String name : names) {
        series.add(
            markers(
                rejected ? name + ", rejected" : name,
                PlotColor.ofSeries(series.size()),
                points.stream()
                    .filter(point -> point.contender().name().equals(name))
                    .filter(point -> point.rejection().isPresent() == rejected)
                    .toList()));
      }
    }
    Plot plot =
        new Plot(
            "Gain of a response at commit",
            "puts of few closed-loop clients, fsyncs of both logs of 0 to 16 ms (injected), and limited devices",
            new Axis("share of apply in the mean time of a write of raft", Scale.LINEAR),
            new Axis("throughput over that of raft", Scale.LINEAR),
            series);
    return Map.of(NAME + "-gain", plot);
  }

  private static Series curve() {
    List<Point> points =
        IntStream.rangeClosed(0, CURVE_STEPS)
            .mapToObj(i -> at(i * CURVE_STEP, 1 / (1 - i * CURVE_STEP)))
            .toList();
    return new Series("1 / (1 - share)", PlotColor.ofSeries(0), points, Mark.LINE);
  }

  private static Series paper() {
    return new Series(
        "paper",
        PlotColor.ofSeries(1),
        List.of(at(PAPER_SHARE, BucSystems.PAPER_THROUGHPUT)),
        Mark.MARKERS);
  }

  private static Point at(double x, double y) {
    return new Point(x, y, y, y);
  }

  private static Series markers(String name, PlotColor color, List<SharePoint> points) {
    return new Series(
        name,
        color,
        points.stream()
            .map(
                point ->
                    new Point(
                        point.share(),
                        point.gains().median(),
                        point.gains().min(),
                        point.gains().max()))
            .toList(),
        Mark.MARKERS);
  }
}

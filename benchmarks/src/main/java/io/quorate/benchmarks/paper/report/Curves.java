package io.quorate.benchmarks.paper.report;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.result.Rounds;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import io.quorate.benchmarks.plot.PlotColor;
import io.quorate.benchmarks.plot.Scale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Creates plots of results, in which a system always has the same color. */
public final class Curves {
  private static final List<Metric> LATENCIES = List.of(Metric.READ_P50, Metric.WRITE_P50);

  private final Results results;
  private final List<SystemUnderTest> contenders;

  /**
   * @param contenders the systems to plot, in the order of the legend
   */
  public Curves(Results results, List<SystemUnderTest> contenders) {
    this.results = results;
    this.contenders = List.copyOf(contenders);
  }

  /**
   * Plots metrics over a property in which the cases differ, with a bar from the minimum to the
   * maximum of the rounds.
   *
   * @param fileName beginning of the file names; the label of the metric follows
   * @param title beginning of the titles; the label of the metric follows
   * @return the plots that have points, by file name
   */
  public Map<String, Plot> over(
      CaseProperty property,
      List<Case> cases,
      String fileName,
      String title,
      String note,
      List<Metric> metrics) {
    return over(property, cases, fileName, title, note, metrics, Scale.LINEAR);
  }

  /**
   * Plots the metrics of an experiment over its property.
   *
   * @param cases those of its cases that belong into the same plots
   * @param suffix of the experiment's name in the file names; the label of the metric follows
   * @return the plots that have points, by file name
   */
  public Map<String, Plot> of(
      PaperExperiment experiment, List<Case> cases, String suffix, String note) {
    return experiment
        .property()
        .map(
            property ->
                over(
                    property,
                    cases,
                    experiment.name() + suffix,
                    experiment.heading(),
                    note,
                    experiment.plotted()))
        .orElse(Map.of());
  }

  /** Like {@link #over}, with this scale of the metrics. */
  public Map<String, Plot> over(
      CaseProperty property,
      List<Case> cases,
      String fileName,
      String title,
      String note,
      List<Metric> metrics,
      Scale scale) {
    return plots(
        fileName,
        metrics,
        metric ->
            new Plot(
                title + ", " + metric.label(),
                note,
                property.axis(),
                axis(metric, scale),
                series((each, contender) -> point(property, each, contender, metric), cases)));
  }

  /**
   * Plots the latencies of reads and of writes against throughput, from the first case to the last.
   *
   * @param fileName beginning of the file names; the label of the metric follows
   * @return the plots that have points, by file name
   */
  public Map<String, Plot> latencyAgainstThroughput(
      List<Case> cases, String fileName, String note) {
    return plots(
        fileName,
        LATENCIES,
        latency ->
            new Plot(
                "Latency against throughput, " + latency.label(),
                note,
                axis(Metric.THROUGHPUT, Scale.LINEAR),
                axis(latency, Scale.LOGARITHMIC),
                series((each, contender) -> point(each, contender, latency), cases)));
  }

  private static Map<String, Plot> plots(
      String fileName, List<Metric> metrics, Function<Metric, Plot> plotOf) {
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (Metric metric : metrics) {
      Plot plot = plotOf.apply(metric);
      if (!plot.series().isEmpty()) {
        plots.put(fileName + "-" + metric.label(), plot);
      }
    }
    return plots;
  }

  private Optional<Point> point(
      CaseProperty property, Case measured, SystemUnderTest contender, Metric metric) {
    double x = property.value().applyAsDouble(measured);
    return results
        .of(measured, contender, metric)
        .map(rounds -> new Point(x, rounds.median(), rounds.min(), rounds.max()));
  }

  private Optional<Point> point(Case measured, SystemUnderTest contender, Metric latency) {
    Optional<Rounds> throughput = results.of(measured, contender, Metric.THROUGHPUT);
    return results
        .of(measured, contender, latency)
        .flatMap(
            rounds ->
                throughput.map(
                    x -> new Point(x.median(), rounds.median(), rounds.min(), rounds.max())));
  }

  private List<Series> series(
      BiFunction<Case, SystemUnderTest, Optional<Point>> pointOf, List<Case> cases) {
    return IntStream.range(0, contenders.size())
        .mapToObj(
            i ->
                new Series(
                    contenders.get(i).name(),
                    PlotColor.ofSeries(i),
                    cases.stream()
                        .flatMap(each -> pointOf.apply(each, contenders.get(i)).stream())
                        .toList()))
        .toList();
  }

  private static Axis axis(Metric metric, Scale scale) {
    return new Axis(metric.label() + ", " + metric.unit(), scale);
  }
}

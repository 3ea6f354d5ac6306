package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Curves;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.Results;
import io.quorate.benchmarks.paper.SystemUnderTest;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Scale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The plots of the evaluation, by file name. */
final class QuorumPlots {
  private static final double PERCENT = 100;

  private final Results results;
  private final Map<String, Plot> plots = new LinkedHashMap<>();

  private QuorumPlots(Results results) {
    this.results = results;
  }

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, Systems systems, RunScale scale) {
    QuorumPlots plots = new QuorumPlots(results);
    plots.draw(systems.approaches());
    plots.drawFractions(systems, scale);
    return plots.plots;
  }

  private void draw(List<SystemUnderTest> approaches) {
    Curves curves = new Curves(results, approaches);
    List<Case> clients = results.cases(Evaluation.CLIENTS);
    for (Metric latency : List.of(Metric.READ_P50, Metric.WRITE_P50)) {
      add(
          Evaluation.CLIENTS,
          latency,
          curves.latencyAgainstThroughput(
              "Latency against throughput, " + latency.label(), "95 % reads", clients, latency));
    }
    draw(
        curves,
        "Share of reads",
        Evaluation.READ_RATIO,
        new Axis("reads, % of calls", Scale.LINEAR),
        each -> each.load().readRatio() * PERCENT);
    draw(
        curves,
        "Hot spots",
        Evaluation.HOT_SPOTS,
        new Axis("keys", Scale.LOGARITHMIC),
        each -> each.load().keys().count());
  }

  private void draw(
      Curves curves, String title, String experiment, Axis x, ToDoubleFunction<Case> position) {
    List<Case> cases = results.cases(experiment);
    for (Metric metric : List.of(Metric.THROUGHPUT, Metric.READ_P50, Metric.WRITE_P50)) {
      add(
          experiment,
          metric,
          curves.over(title + ", " + metric.label(), "80 clients", x, position, cases, metric));
    }
  }

  /**
   * Plots systems with fixed parts of reads by the leader beside the adaptive one, with and without
   * a slow replica.
   */
  private void drawFractions(Systems systems, RunScale scale) {
    List<SystemUnderTest> contenders = systems.fractions(scale.leaderPercents());
    List<String> experiments = List.of(Evaluation.FRACTIONS, Evaluation.SLOW);
    List<Case> cases = experiments.stream().flatMap(each -> results.cases(each).stream()).toList();
    for (Metric metric : List.of(Metric.THROUGHPUT, Metric.WRITE_P50, Metric.READS_AT_LEADER)) {
      add(
          Evaluation.FRACTIONS,
          metric,
          new Curves(results, contenders)
              .over(
                  "Parts of the reads by the leader, " + metric.label(),
                  "95 % reads, 80 clients",
                  Axis.ofNames("replicas", List.of("equally fast", "one is slow")),
                  each -> 1 + experiments.indexOf(each.experiment()),
                  cases,
                  metric));
    }
  }

  private void add(String experiment, Metric metric, Plot plot) {
    if (!plot.series().isEmpty()) {
      plots.put(experiment + "-" + metric.label(), plot);
    }
  }
}

package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Curves;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Scale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The plots of the evaluation, by file name. */
final class AcqrPlots {
  private static final double PERCENT = 100;
  private static final String SEPARATOR = ", ";

  private final Results results;
  private final Curves curves;
  private final Map<String, Plot> plots = new LinkedHashMap<>();

  private AcqrPlots(Results results, Curves curves) {
    this.results = results;
    this.curves = curves;
  }

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, Systems systems) {
    AcqrPlots plots = new AcqrPlots(results, new Curves(results, systems.readers()));
    results.cases().stream().map(Case::replicas).distinct().forEach(plots::draw);
    return plots.plots;
  }

  private void draw(int replicas) {
    for (Metric latency : List.of(Metric.READ_P50, Metric.WRITE_P50)) {
      List<Case> cases = cases(Evaluation.CLIENTS, replicas);
      add(
          Evaluation.CLIENTS,
          replicas,
          latency,
          curves.latencyAgainstThroughput(
              "Latency against throughput, " + latency.label(), note(cases), cases, latency));
    }
    draw(
        "Share of reads",
        Evaluation.READ_RATIO,
        replicas,
        new Axis("reads, % of calls", Scale.LINEAR),
        each -> each.load().readRatio() * PERCENT);
    draw(
        "Contention",
        Evaluation.CONTENTION,
        replicas,
        new Axis("keys", Scale.LOGARITHMIC),
        each -> each.load().keys().count());
    draw(
        "Between sites (in-process delay)",
        Evaluation.WIDE_AREA,
        replicas,
        new Axis("delay between sites, ms one way", Scale.LINEAR),
        each -> each.oneWayDelay().toMillis());
  }

  private void draw(
      String title, String experiment, int replicas, Axis x, ToDoubleFunction<Case> position) {
    List<Case> cases = cases(experiment, replicas);
    for (Metric metric : List.of(Metric.THROUGHPUT, Metric.READ_P50, Metric.WRITE_P50)) {
      add(
          experiment,
          replicas,
          metric,
          curves.over(title + ", " + metric.label(), note(cases), x, position, cases, metric));
    }
  }

  private void add(String experiment, int replicas, Metric metric, Plot plot) {
    if (!plot.series().isEmpty()) {
      plots.put(experiment + "-n" + replicas + "-" + metric.label(), plot);
    }
  }

  private List<Case> cases(String experiment, int replicas) {
    return results.cases(experiment).stream().filter(each -> each.replicas() == replicas).toList();
  }

  /** The parts of the names that all cases have in common. */
  private static String note(List<Case> cases) {
    List<String> parts = cases.stream().findFirst().map(AcqrPlots::parts).orElse(List.of());
    return parts.stream()
        .filter(part -> cases.stream().allMatch(each -> parts(each).contains(part)))
        .collect(Collectors.joining(SEPARATOR));
  }

  private static List<String> parts(Case one) {
    return List.of(one.name().split(SEPARATOR));
  }
}

package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Scale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The plots of the evaluation, by file name. */
final class AcqrPlots {
  private static final String SEPARATOR = ", ";
  private static final List<Metric> METRICS =
      List.of(Metric.THROUGHPUT, Metric.READ_P50, Metric.WRITE_P50);
  private static final CaseProperty DELAY =
      new CaseProperty(
          new Axis("delay between sites, ms one way", Scale.LINEAR),
          each -> each.oneWayDelay().toMillis());

  private final Results results;
  private final Curves curves;
  private final Map<String, Plot> plots = new LinkedHashMap<>();

  private AcqrPlots(Results results, Curves curves) {
    this.results = results;
    this.curves = curves;
  }

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, AcqrSystems systems) {
    AcqrPlots plots = new AcqrPlots(results, new Curves(results, systems.readers()));
    results.cases().stream().map(Case::replicas).distinct().forEach(plots::draw);
    return plots.plots;
  }

  private void draw(int replicas) {
    List<Case> clients = cases(AcqrEvaluation.CLIENTS, replicas);
    plots.putAll(
        curves.latencyAgainstThroughput(
            clients, fileName(AcqrEvaluation.CLIENTS, replicas), note(clients)));
    draw("Share of reads", AcqrEvaluation.READ_RATIO, replicas, CaseProperty.READ_PERCENT);
    draw("Contention", AcqrEvaluation.CONTENTION, replicas, CaseProperty.KEYS);
    draw("Between sites (in-process delay)", AcqrEvaluation.WIDE_AREA, replicas, DELAY);
  }

  private void draw(String title, String experiment, int replicas, CaseProperty property) {
    List<Case> cases = cases(experiment, replicas);
    plots.putAll(
        curves.over(property, cases, fileName(experiment, replicas), title, note(cases), METRICS));
  }

  private static String fileName(String experiment, int replicas) {
    return experiment + "-n" + replicas;
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

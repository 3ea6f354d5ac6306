package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The plots of the evaluation, by file name. */
final class QuorumPlots {
  private static final List<Metric> METRICS =
      List.of(Metric.THROUGHPUT, Metric.READ_P50, Metric.WRITE_P50);
  private static final List<Metric> METRICS_OF_FRACTIONS =
      List.of(Metric.THROUGHPUT, Metric.WRITE_P50, Metric.READS_AT_LEADER);

  private QuorumPlots() {}

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, QuorumSystems systems, QuorumScale scale) {
    Curves approaches = new Curves(results, systems.approaches());
    Map<String, Plot> plots = new LinkedHashMap<>();
    plots.putAll(
        approaches.latencyAgainstThroughput(
            results.cases(QuorumEvaluation.CLIENTS), QuorumEvaluation.CLIENTS, "95 % reads"));
    plots.putAll(
        approaches.over(
            CaseProperty.READ_PERCENT,
            results.cases(QuorumEvaluation.READ_RATIO),
            QuorumEvaluation.READ_RATIO,
            "Share of reads",
            "80 clients",
            METRICS));
    plots.putAll(
        approaches.over(
            CaseProperty.KEYS,
            results.cases(QuorumEvaluation.HOT_SPOTS),
            QuorumEvaluation.HOT_SPOTS,
            "Hot spots",
            "80 clients",
            METRICS));
    plots.putAll(fractions(results, systems, scale));
    return plots;
  }

  /**
   * Systems with fixed parts of reads by the leader beside the adaptive one, with and without a
   * slow replica.
   */
  private static Map<String, Plot> fractions(
      Results results, QuorumSystems systems, QuorumScale scale) {
    List<String> experiments = List.of(QuorumEvaluation.FRACTIONS, QuorumEvaluation.SLOW);
    List<Case> cases = experiments.stream().flatMap(each -> results.cases(each).stream()).toList();
    CaseProperty replicas =
        new CaseProperty(
            Axis.ofNames("replicas", List.of("equally fast", "one is slow")),
            each -> 1 + experiments.indexOf(each.experiment()));
    return new Curves(results, systems.fractions(scale.leaderPercents()))
        .over(
            replicas,
            cases,
            QuorumEvaluation.FRACTIONS,
            "Parts of the reads by the leader",
            "95 % reads, 80 clients",
            METRICS_OF_FRACTIONS);
  }
}

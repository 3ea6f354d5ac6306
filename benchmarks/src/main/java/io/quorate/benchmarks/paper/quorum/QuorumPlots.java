package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.report.PaperExperiment;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Scale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The plots of the evaluation, by file name. */
final class QuorumPlots {
  private static final List<Metric> METRICS_OF_FRACTIONS =
      List.of(Metric.THROUGHPUT, Metric.WRITE_P50, Metric.READS_AT_LEADER);
  private static final List<Metric> LATENCIES_OF_OPEN_LOOP =
      List.of(Metric.READ_MEAN, Metric.READ_P99, Metric.WRITE_MEAN, Metric.WRITE_P99);
  private static final List<Metric> USE_IN_OPEN_LOOP =
      List.of(
          Metric.THROUGHPUT,
          Metric.QUOTA_AT_LEADER,
          Metric.QUOTA_AT_BUSIEST,
          Metric.QUOTA_AT_IDLEST);

  private QuorumPlots() {}

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, QuorumSystems systems, QuorumScale scale) {
    Curves approaches = new Curves(results, systems.approaches());
    Map<String, Plot> plots = new LinkedHashMap<>(openLoop(results, systems, scale));
    plots.putAll(
        approaches.latencyAgainstThroughput(
            results.cases(QuorumEvaluation.CLIENTS), QuorumEvaluation.CLIENTS, "95 % reads"));
    for (PaperExperiment each : QuorumEvaluation.EXPERIMENTS) {
      List<Case> uniform =
          results.cases(each.name()).stream()
              .filter(one -> one.load().choice() == KeyChoice.UNIFORM)
              .toList();
      plots.putAll(approaches.of(each, uniform, "", "80 clients"));
    }
    plots.putAll(fractions(results, systems, scale));
    return plots;
  }

  /** Latency, and the use of the nodes' quotas, against the offered load. */
  private static Map<String, Plot> openLoop(
      Results results, QuorumSystems systems, QuorumScale scale) {
    List<Case> cases =
        results.cases(QuorumEvaluation.OPEN_LOOP).stream()
            .filter(each -> each.load().offered().isPresent())
            .toList();
    Curves curves = new Curves(results, systems.inOpenLoop(scale.allApproaches()));
    String note =
        String.format(
            Locale.ROOT,
            "95 %% reads, open loop, %d %% of a core each",
            scale.openLoop().corePercent());
    Map<String, Plot> plots = new LinkedHashMap<>();
    plots.putAll(
        curves.over(
            CaseProperty.OFFERED,
            cases,
            QuorumEvaluation.OPEN_LOOP,
            "Open loop",
            note,
            LATENCIES_OF_OPEN_LOOP,
            Scale.LOGARITHMIC));
    plots.putAll(
        curves.over(
            CaseProperty.OFFERED,
            cases,
            QuorumEvaluation.OPEN_LOOP,
            "Open loop",
            note,
            USE_IN_OPEN_LOOP));
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

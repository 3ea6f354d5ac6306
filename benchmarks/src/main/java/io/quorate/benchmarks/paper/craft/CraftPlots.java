package io.quorate.benchmarks.paper.craft;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The plots of the evaluation, by file name. */
final class CraftPlots {
  private final Results results;
  private final Curves curves;
  private final Map<String, Plot> plots = new LinkedHashMap<>();

  private CraftPlots(Results results, CraftSystems systems) {
    this.results = results;
    this.curves = new Curves(results, systems.all());
  }

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, CraftSystems systems) {
    CraftPlots plots = new CraftPlots(results, systems);
    plots.draw(
        "Writes of one client",
        CraftEvaluation.LATENCY,
        CaseProperty.VALUE_BYTES,
        List.of(Metric.WRITE_P50, Metric.WRITE_P99));
    plots.draw(
        "Writes of many clients",
        CraftEvaluation.THROUGHPUT,
        CaseProperty.VALUE_BYTES,
        List.of(Metric.THROUGHPUT));
    plots.draw(
        "Bytes for each value",
        CraftEvaluation.BYTES,
        CaseProperty.VALUE_BYTES,
        List.of(Metric.LEADER_SENT, Metric.FOLLOWER_STORED, Metric.WRITTEN));
    plots.draw(
        "Healthy nodes",
        CraftEvaluation.HEALTHY_NODES,
        CaseProperty.HEALTHY_NODES,
        List.of(Metric.THROUGHPUT));
    plots.draw(
        "Reads at a new leader",
        CraftEvaluation.NEW_LEADER,
        CaseProperty.VALUE_BYTES,
        List.of(Metric.FIRST_READ, Metric.TEN_READS));
    return plots.plots;
  }

  /** Draws an experiment, with plots of its own for each kind of clusters. */
  private void draw(String title, String experiment, CaseProperty property, List<Metric> metrics) {
    List<Case> cases = results.cases(experiment);
    for (Clusters clusters : cases.stream().map(Case::clusters).distinct().toList()) {
      String size = "-n" + clusters.replicas();
      String bandwidth =
          clusters.limitsBandwidth() ? "-" + clusters.megabitsPerSecond() + "mbit" : "";
      String note = clusters.name().isEmpty() ? "" : ", " + clusters.name();
      plots.putAll(
          curves.over(
              property,
              cases.stream().filter(each -> each.clusters().equals(clusters)).toList(),
              experiment + size + bandwidth,
              title,
              "N=" + clusters.replicas() + note,
              metrics));
    }
  }
}

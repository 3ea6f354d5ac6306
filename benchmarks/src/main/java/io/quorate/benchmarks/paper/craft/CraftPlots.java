package io.quorate.benchmarks.paper.craft;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.report.PaperExperiment;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The plots of the evaluation, by file name. */
final class CraftPlots {
  private CraftPlots() {}

  /** All plots that have points, of their own for each kind of clusters. */
  static Map<String, Plot> of(Results results, CraftSystems systems) {
    Curves curves = new Curves(results, systems.all());
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (PaperExperiment experiment : CraftEvaluation.EXPERIMENTS) {
      List<Case> cases = results.cases(experiment.name());
      for (Clusters clusters : cases.stream().map(Case::clusters).distinct().toList()) {
        String bandwidth =
            clusters.limitsBandwidth() ? "-" + clusters.megabitsPerSecond() + "mbit" : "";
        String note = clusters.name().isEmpty() ? "" : ", " + clusters.name();
        plots.putAll(
            curves.of(
                experiment,
                cases.stream().filter(each -> each.clusters().equals(clusters)).toList(),
                "-n" + clusters.replicas() + bandwidth,
                "N=" + clusters.replicas() + note));
      }
    }
    return plots;
  }
}

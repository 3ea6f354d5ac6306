package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.report.PaperExperiment;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The plots of the evaluation, by file name. */
final class AcqrPlots {
  private static final String SEPARATOR = ", ";

  private AcqrPlots() {}

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, AcqrSystems systems) {
    Curves curves = new Curves(results, systems.readers());
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (int replicas : results.cases().stream().map(Case::replicas).distinct().toList()) {
      String suffix = "-n" + replicas;
      List<Case> clients = cases(results, AcqrEvaluation.CLIENTS, replicas);
      plots.putAll(
          curves.latencyAgainstThroughput(clients, AcqrEvaluation.CLIENTS + suffix, note(clients)));
      for (PaperExperiment each : AcqrEvaluation.EXPERIMENTS) {
        List<Case> cases = cases(results, each.name(), replicas);
        plots.putAll(curves.of(each, cases, suffix, note(cases)));
      }
    }
    return plots;
  }

  private static List<Case> cases(Results results, String experiment, int replicas) {
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

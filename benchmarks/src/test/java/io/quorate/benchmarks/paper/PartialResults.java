package io.quorate.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import java.util.EnumMap;
import java.util.Map;

/** The results of runs that ended early. */
public final class PartialResults {
  private PartialResults() {}

  /**
   * Asserts that an evaluation reports what was measured, wherever the run ends: after the first
   * measurement, and after each further one, in the order of a run with alternating systems.
   */
  public static void requireReports(Evaluation evaluation) {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    for (Metric metric : Metric.values()) {
      figures.put(metric, 1.0);
    }
    Results results = new Results();
    int rows = 0;
    for (Case each : evaluation.cases()) {
      for (SystemUnderTest contender : each.contenders()) {
        results.add(each, contender, figures);
        EvaluationReport report = evaluation.report(results);
        assertThat(report.rows()).hasSizeGreaterThan(rows);
        report.tables().values().forEach(table -> assertThat(table.render()).isNotNull());
        rows = report.rows().size();
      }
    }
  }
}

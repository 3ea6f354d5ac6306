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
  /** Up to here there is a report after each measurement, beyond it after some. */
  private static final int FEW = 40;

  private static final int SPARED = 8;

  private PartialResults() {}

  /**
   * Asserts that an evaluation reports what was measured, wherever the run ends: after the first
   * measurements, and after some of the further ones, in the order of a run with alternating
   * systems.
   */
  public static void requireReports(Evaluation evaluation) {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    for (Metric metric : Metric.values()) {
      figures.put(metric, 1.0);
    }
    Results results = new Results();
    int rows = 0;
    int measured = 0;
    for (Case each : evaluation.cases()) {
      for (SystemUnderTest contender : each.contenders()) {
        results.add(each, contender, figures);
        if (++measured > FEW && measured % SPARED != 0) {
          continue;
        }
        EvaluationReport report = evaluation.report(results);
        assertThat(report.rows()).hasSizeGreaterThan(rows);
        report.tables().values().forEach(table -> assertThat(table.render()).isNotNull());
        rows = report.rows().size();
      }
    }
  }
}

package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.measurement.CaseRunner;
import io.quorate.benchmarks.paper.measurement.InterleavedRunner;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.client.cli.terminal.ProgressLine;
import java.nio.file.Path;
import java.util.List;

/**
 * The own part of a paper in its evaluation: the cases to measure, and the report of their results.
 * Without side effects.
 */
public interface Evaluation {
  /** The base name of the output files. */
  String name();

  /** The title of the page. */
  String title();

  /** The durations of the cases, except those with a plan of their own. */
  RunPlan plan();

  /** The durations of one case. */
  default RunPlan plan(Case one) {
    return plan();
  }

  /** All cases to measure, including those that this system may be unable to run. */
  List<Case> cases();

  /** Notes that a reader needs to judge the figures, a sentence or a few each. */
  List<String> notes();

  EvaluationReport report(Results results);

  /**
   * What measures the cases: by default in rounds, on clusters that run beside each other.
   *
   * @param data an existing directory, which contains the data of the clusters while they run
   * @param bandwidthLimit what limits the bandwidth in the cases that demand a limit
   */
  default CaseRunner runner(Path data, BandwidthLimit bandwidthLimit, ProgressLine progress) {
    return new InterleavedRunner(plan(), data, bandwidthLimit, progress);
  }
}

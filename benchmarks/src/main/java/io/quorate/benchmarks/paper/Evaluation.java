package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.result.Results;
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

  RunPlan plan();

  /** All cases to measure, including those that this system may be unable to run. */
  List<Case> cases();

  /** Notes that a reader needs to judge the figures, a sentence or a few each. */
  List<String> notes();

  EvaluationReport report(Results results);
}

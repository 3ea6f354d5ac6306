package io.quorate.benchmarks.paper;

import java.util.List;

/**
 * The evaluation of one paper: the cases to measure, and the findings from their results. Without
 * side effects.
 */
public interface Experiment {

  /** The base name of the output files. */
  String name();

  /** The title of the page. */
  String title();

  RunPlan pace();

  /** All cases to measure, including those that this system may be unable to run. */
  List<Case> cases();

  /** Notes that a reader needs to judge the figures, a sentence or a few each. */
  List<String> notes();

  Findings findings(Results results);
}

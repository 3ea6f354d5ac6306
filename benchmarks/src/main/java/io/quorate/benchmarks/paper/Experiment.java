package io.quorate.benchmarks.paper;

import java.util.List;

/** The evaluation of one paper: what is measured, and what is made of it. Pure. */
public interface Experiment {

  /** Of the files that are written. */
  String name();

  /** Of the page. */
  String title();

  Pace pace();

  /** Everything to be measured, as far as it can be here. */
  List<Case> cases();

  /** What a reader must know to judge the figures, a sentence or a few each. */
  List<String> notes();

  Findings findings(Results results);
}

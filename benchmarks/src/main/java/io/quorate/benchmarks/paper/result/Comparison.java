package io.quorate.benchmarks.paper.result;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import java.util.Optional;
import java.util.OptionalDouble;

/** The references for figures: another system of the same run, and the paper. */
public interface Comparison {

  /** The system that is the baseline for ratios of this system; empty if there is none. */
  Optional<SystemUnderTest> baseline(SystemUnderTest contender);

  /** The paper's ratio of the same figures; empty if it has none. */
  OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric);
}

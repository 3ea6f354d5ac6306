package io.quorate.benchmarks.paper;

import java.util.Optional;
import java.util.OptionalDouble;

/** What figures are compared with: another contender of the same run, and the paper. */
public interface Comparison {

  /** Over whose figures ratios of this contender are; empty for none. */
  Optional<Contender> baseline(Contender contender);

  /** The paper's ratio of the same figures; empty where it has none. */
  OptionalDouble paper(Case measured, Contender contender, Metric metric);
}

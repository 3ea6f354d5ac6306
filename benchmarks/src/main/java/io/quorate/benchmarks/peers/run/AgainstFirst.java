package io.quorate.benchmarks.peers.run;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Compares every contender with the first one.
 *
 * @param first the baseline
 */
public record AgainstFirst(SystemUnderTest first) implements Comparison {
  @Override
  public Optional<SystemUnderTest> baseline(SystemUnderTest contender) {
    return contender.equals(first) ? Optional.empty() : Optional.of(first);
  }

  @Override
  public OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric) {
    return OptionalDouble.empty();
  }
}

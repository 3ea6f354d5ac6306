package io.quorate.benchmarks.paper.result;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.RatioExpectation.Bound;

/**
 * Two systems whose figures in a case are compared.
 *
 * @param contender the system whose figure is the numerator
 * @param baseline the system whose figure is the denominator
 */
public record Pair(Case measured, SystemUnderTest contender, SystemUnderTest baseline) {

  public RatioExpectation atLeast(Metric metric, double limit) {
    return expect(metric, Bound.AT_LEAST, limit);
  }

  public RatioExpectation above(Metric metric, double limit) {
    return expect(metric, Bound.ABOVE, limit);
  }

  public RatioExpectation atMost(Metric metric, double limit) {
    return expect(metric, Bound.AT_MOST, limit);
  }

  private RatioExpectation expect(Metric metric, Bound bound, double limit) {
    return new RatioExpectation(measured, contender, baseline, metric, bound, limit);
  }
}

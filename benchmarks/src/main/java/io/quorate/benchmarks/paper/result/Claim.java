package io.quorate.benchmarks.paper.result;

import io.quorate.benchmarks.paper.experiment.Case;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * A ratio between a system and its baseline in the figures of a paper.
 *
 * @param cases those beside whose figures it is shown
 */
public record Claim(Metric metric, double ratio, Predicate<Case> cases) {

  /** The ratio of the first claim for the metric in this case; empty if there is none. */
  public static OptionalDouble ratio(List<Claim> claims, Case measured, Metric metric) {
    return claims.stream()
        .filter(claim -> claim.metric == metric && claim.cases.test(measured))
        .mapToDouble(Claim::ratio)
        .findFirst();
  }
}

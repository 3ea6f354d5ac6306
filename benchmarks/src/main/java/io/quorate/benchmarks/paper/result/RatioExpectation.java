package io.quorate.benchmarks.paper.result;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.report.Row;
import java.util.Locale;
import java.util.Optional;

/**
 * An expected ratio between the figures of two systems.
 *
 * @param measured the case in which they are compared
 * @param contender the system whose figure is the numerator
 * @param baseline the system whose figure is the denominator
 * @param metric the metric of the figures
 * @param bound the side of the limit on which the ratio should be
 * @param limit of the ratio
 */
public record RatioExpectation(
    Case measured,
    SystemUnderTest contender,
    SystemUnderTest baseline,
    Metric metric,
    Bound bound,
    double limit) {

  /** A side of a limit. */
  public enum Bound {
    AT_LEAST,
    ABOVE,
    AT_MOST;

    boolean holds(double value, double limit) {
      return switch (this) {
        case AT_LEAST -> value >= limit;
        case ABOVE -> value > limit;
        case AT_MOST -> value <= limit;
      };
    }

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** A description of the compared figures. */
  public String text() {
    return contender + " over " + baseline + ", " + metric.label() + ", " + measured.name();
  }

  /** A description of the expected ratio. */
  public String limitText() {
    return String.format(Locale.ROOT, "%s %.2f", bound.text(), limit);
  }

  /** The measured ratios; empty if there are none. */
  public Optional<Rounds> ratios(Results results) {
    return results.ratios(measured, contender, baseline, metric);
  }

  public boolean isMet(double ratio) {
    return bound.holds(ratio, limit);
  }

  /** Whether the median of the rounds meets the expectation. */
  public boolean isMet(Rounds ratios) {
    return isMet(ratios.median());
  }

  /** The figure, compared with its baseline; requires that {@link #ratios} is not empty. */
  public Row row(String experiment, Results results) {
    double value = results.of(measured, contender, metric).orElseThrow().median();
    return new Row(
            experiment, measured.name(), contender.name(), metric.label(), value, metric.unit())
        .against(baseline.name(), ratios(results).orElseThrow().median());
  }
}

package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.report.Row;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * A ratio of two contenders that is wished for.
 *
 * @param measured under which load
 * @param contender whose figure it is
 * @param baseline whose figure it is compared with
 * @param metric which figure
 * @param bound on which side of the limit the ratio should be
 * @param limit of the ratio
 */
public record Aim(
    Case measured,
    Contender contender,
    Contender baseline,
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

  /** What is wished for, in words. */
  public String text() {
    return contender + " over " + baseline + ", " + metric.label() + ", " + measured.name();
  }

  /** The wish about the ratio, in words. */
  public String wish() {
    return String.format(Locale.ROOT, "%s %.2f", bound.text(), limit);
  }

  /** The ratio that was measured; empty if it was not. */
  public OptionalDouble ratio(Results results) {
    return results.ratio(measured, contender, baseline, metric);
  }

  public boolean isMet(double ratio) {
    return bound.holds(ratio, limit);
  }

  /** The figure, compared; only where {@link #ratio} is there. */
  public Row row(String experiment, Results results) {
    return row(experiment, results, contender)
        .against(baseline.name(), row(experiment, results, baseline));
  }

  private Row row(String experiment, Results results, Contender of) {
    double value = results.of(measured, of, metric).orElseThrow().median();
    return new Row(experiment, measured.name(), of.name(), metric.label(), value, metric.unit());
  }
}

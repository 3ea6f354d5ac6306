package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.report.Row;
import java.util.Locale;
import java.util.Optional;

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

  /** The ratios that were measured; empty if there are none. */
  public Optional<Rounds> ratios(Results results) {
    return results.ratios(measured, contender, baseline, metric);
  }

  public boolean isMet(double ratio) {
    return bound.holds(ratio, limit);
  }

  /** Whether the median of the rounds is as wished for. */
  public boolean isMet(Rounds ratios) {
    return isMet(ratios.median());
  }

  /** The figure, compared; only where {@link #ratios} are there. */
  public Row row(String experiment, Results results) {
    double value = results.of(measured, contender, metric).orElseThrow().median();
    return new Row(
            experiment, measured.name(), contender.name(), metric.label(), value, metric.unit())
        .against(baseline.name(), ratios(results).orElseThrow().median());
  }
}

package io.quorate.benchmarks.report;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One figure.
 *
 * @param experiment name of the experiment, such as {@code kv}
 * @param workload name of the load, such as {@code put, 256 clients}
 * @param preset name of the preset or of the system under test
 * @param baseline workload or system of the same run that the figure is compared with
 * @param metric name of the metric, such as {@code throughput}
 * @param value the figure
 * @param unit of the value
 * @param ratio the value divided by the value of the baseline for the same metric; if both were
 *     measured in rounds, the median of the ratios of the rounds
 * @param paper the same ratio in the paper, if it has one
 */
public record Row(
    String experiment,
    String workload,
    String preset,
    Optional<String> baseline,
    String metric,
    double value,
    String unit,
    OptionalDouble ratio,
    OptionalDouble paper) {

  /** A figure without a baseline. */
  public Row(
      String experiment, String workload, String preset, String metric, double value, String unit) {
    this(
        experiment,
        workload,
        preset,
        Optional.empty(),
        metric,
        value,
        unit,
        OptionalDouble.empty(),
        OptionalDouble.empty());
  }

  /**
   * Returns this figure, compared with another of the same metric and run. There is no ratio if the
   * other value is 0.
   *
   * @param name name of the baseline
   */
  public Row against(String name, Row other) {
    if (!metric.equals(other.metric)) {
      throw new IllegalArgumentException(
          "A ratio is of one metric, not of " + metric + " and " + other.metric);
    }
    OptionalDouble quotient =
        other.value == 0 ? OptionalDouble.empty() : OptionalDouble.of(value / other.value);
    return new Row(
        experiment, workload, preset, Optional.of(name), metric, value, unit, quotient, paper);
  }

  /**
   * Returns this figure, compared with another that was measured in the same rounds.
   *
   * @param name name of the baseline
   * @param medianRatio median of the ratios of the rounds
   */
  public Row against(String name, double medianRatio) {
    return new Row(
        experiment,
        workload,
        preset,
        Optional.of(name),
        metric,
        value,
        unit,
        OptionalDouble.of(medianRatio),
        paper);
  }

  /** Returns this figure with the ratio of the paper. */
  public Row besidePaper(double paperRatio) {
    return new Row(
        experiment,
        workload,
        preset,
        baseline,
        metric,
        value,
        unit,
        ratio,
        OptionalDouble.of(paperRatio));
  }
}

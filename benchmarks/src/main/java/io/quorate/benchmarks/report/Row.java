package io.quorate.benchmarks.report;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One figure.
 *
 * @param experiment what was done, such as {@code kv}
 * @param workload under which load, such as {@code put, 256 clients}
 * @param preset how the replicas agreed
 * @param baseline what the figure is compared with: a workload or a preset of the same run
 * @param metric what was measured, such as {@code throughput}
 * @param value the figure
 * @param unit of the value
 * @param ratio the value over the baseline's value of the same metric; where both were measured in
 *     rounds, the median of the rounds' ratios
 * @param paper the same ratio in the paper, where there is one
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

  /** A figure that is compared with nothing. */
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
   * The same figure, compared with another of the same metric and run. There is no ratio to 0.
   *
   * @param name what the other one is called
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
   * The same figure, compared with another that was measured beside it in every round.
   *
   * @param name what the other one is called
   * @param medianRatio of the rounds
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

  /** The same figure, beside the paper's ratio. */
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

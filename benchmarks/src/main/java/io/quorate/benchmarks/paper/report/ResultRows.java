package io.quorate.benchmarks.paper.report;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.result.Rounds;
import io.quorate.benchmarks.report.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Converts results to rows of a report: the median of each figure, and the spread of its rounds.
 */
public final class ResultRows {
  private static final String SPREAD = "-spread";
  private static final double PERCENT = 100;

  private final Results results;
  private final Comparison comparison;

  public ResultRows(Results results, Comparison comparison) {
    this.results = results;
    this.comparison = comparison;
  }

  /** Every figure of every case, in the order of the measurements. */
  public List<Row> all() {
    List<Row> rows = new ArrayList<>();
    for (Case each : results.cases()) {
      for (SystemUnderTest contender : each.contenders()) {
        for (Metric metric : Metric.values()) {
          results
              .of(each, contender, metric)
              .ifPresent(rounds -> add(rows, each, contender, metric, rounds));
        }
      }
    }
    return rows;
  }

  /** The figure of each measured expectation, with its baseline. */
  public List<Row> expectations(String experiment, List<RatioExpectation> expectations) {
    return expectations.stream()
        .filter(expectation -> expectation.ratios(results).isPresent())
        .map(expectation -> expectation.row(experiment, results))
        .toList();
  }

  private void add(
      List<Row> rows, Case measured, SystemUnderTest contender, Metric metric, Rounds rounds) {
    Row row = row(measured, contender, metric, rounds.median());
    Optional<SystemUnderTest> baseline = comparison.baseline(contender);
    if (baseline.isPresent()) {
      OptionalDouble ratio = results.ratio(measured, contender, baseline.get(), metric);
      if (ratio.isPresent()) {
        row = row.against(baseline.get().name(), ratio.getAsDouble());
      }
    }
    OptionalDouble paper = comparison.paper(measured, contender, metric);
    rows.add(paper.isPresent() ? row.besidePaper(paper.getAsDouble()) : row);
    rows.add(
        new Row(
            measured.experiment(),
            measured.name(),
            contender.name(),
            metric.label() + SPREAD,
            rounds.spread() * PERCENT,
            "% of the median"));
  }

  private static Row row(Case measured, SystemUnderTest contender, Metric metric, double value) {
    return new Row(
        measured.experiment(),
        measured.name(),
        contender.name(),
        metric.label(),
        value,
        metric.unit());
  }
}

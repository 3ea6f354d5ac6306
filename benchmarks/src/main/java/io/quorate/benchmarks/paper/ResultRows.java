package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.report.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Results as rows of a report: the median of each figure, and how far apart the rounds are. */
public final class ResultRows {
  private static final String SPREAD = "-spread";
  private static final double PERCENT = 100;

  private final Results results;
  private final Comparison comparison;

  public ResultRows(Results results, Comparison comparison) {
    this.results = results;
    this.comparison = comparison;
  }

  /** Every figure of every case, in the order in which they were measured. */
  public List<Row> all() {
    List<Row> rows = new ArrayList<>();
    for (Case each : results.cases()) {
      for (Contender contender : each.contenders()) {
        for (Metric metric : Metric.values()) {
          results
              .of(each, contender, metric)
              .ifPresent(rounds -> add(rows, each, contender, metric, rounds));
        }
      }
    }
    return rows;
  }

  /** Of each aim that was measured, the figure beside what it is compared with. */
  public List<Row> aims(String experiment, List<Aim> aims) {
    return aims.stream()
        .filter(aim -> aim.ratios(results).isPresent())
        .map(aim -> aim.row(experiment, results))
        .toList();
  }

  private void add(
      List<Row> rows, Case measured, Contender contender, Metric metric, Rounds rounds) {
    Row row = row(measured, contender, metric, rounds.median());
    Optional<Contender> baseline = comparison.baseline(contender);
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

  private static Row row(Case measured, Contender contender, Metric metric, double value) {
    return new Row(
        measured.experiment(),
        measured.name(),
        contender.name(),
        metric.label(),
        value,
        metric.unit());
  }
}

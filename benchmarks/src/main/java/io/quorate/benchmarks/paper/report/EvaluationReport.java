package io.quorate.benchmarks.paper.report;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables, rows and plots of an evaluation, in the order in which they are added. The rows begin
 * with every figure. Not thread-safe.
 */
public final class EvaluationReport {
  private final String expectationRows;
  private final Results results;
  private final ResultTables resultTables;
  private final ResultRows resultRows;
  private final Map<String, TextTable> tables = new LinkedHashMap<>();
  private final List<Row> rows = new ArrayList<>();
  private final Map<String, Plot> plots = new LinkedHashMap<>();

  /**
   * @param name name of the evaluation
   * @param columns of every table of figures, from left to right
   */
  public EvaluationReport(
      String name, Results results, Comparison comparison, List<Column> columns) {
    this.expectationRows = name + "-aims";
    this.results = results;
    this.resultTables = new ResultTables(results, comparison, columns);
    this.resultRows = new ResultRows(results, comparison);
    rows.addAll(resultRows.all());
  }

  /** Adds a table of the figures of one experiment. */
  public EvaluationReport figures(String heading, String experiment) {
    return figures(heading, results.cases(experiment));
  }

  /** Adds a table of the figures of each experiment. */
  public EvaluationReport figures(List<PaperExperiment> experiments) {
    experiments.forEach(each -> figures(each.heading(), each.name()));
    return this;
  }

  /** Adds a table of the figures of some cases. */
  public EvaluationReport figures(String heading, List<Case> cases) {
    return table(heading, resultTables.figures(cases));
  }

  public EvaluationReport table(String heading, TextTable table) {
    tables.put(heading, table);
    return this;
  }

  public EvaluationReport rows(List<Row> more) {
    rows.addAll(more);
    return this;
  }

  /**
   * @param more by file name
   */
  public EvaluationReport plots(Map<String, Plot> more) {
    plots.putAll(more);
    return this;
  }

  /** Adds a table of the measured expectations, and a row for each. */
  public EvaluationReport expectations(String heading, List<RatioExpectation> expectations) {
    table(heading, resultTables.expectations(expectations));
    return rows(resultRows.expectations(expectationRows, expectations));
  }

  /**
   * Like {@link #expectations}, but the table has only those that are not met, and the heading
   * their number.
   */
  public EvaluationReport missedExpectations(String heading, List<RatioExpectation> expectations) {
    List<RatioExpectation> measured =
        expectations.stream().filter(each -> each.ratios(results).isPresent()).toList();
    List<RatioExpectation> missed =
        measured.stream().filter(each -> !each.isMet(each.ratios(results).orElseThrow())).toList();
    table(
        heading + ", missed are " + missed.size() + " of " + measured.size(),
        resultTables.expectations(missed));
    return rows(resultRows.expectations(expectationRows, expectations));
  }

  /** The tables by heading. */
  public Map<String, TextTable> tables() {
    return Collections.unmodifiableMap(tables);
  }

  /** The rows for machine-readable reports. */
  public List<Row> rows() {
    return List.copyOf(rows);
  }

  /** The plots by file name. */
  public Map<String, Plot> plots() {
    return Collections.unmodifiableMap(plots);
  }
}

package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.measurement.CaseRunner;
import io.quorate.benchmarks.paper.measurement.InterleavedRunner;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.server.cli.terminal.ProgressLine;
import java.nio.file.Path;
import java.util.List;

/**
 * The own part of a paper in its evaluation: the cases to measure, and the report of their results.
 * Without side effects.
 */
public abstract class Evaluation {
  private final Paper paper;
  private final RunPlan plan;
  private final Comparison comparison;
  private final List<Column> columns;

  /**
   * @param plan the durations of the cases, except those with a plan of their own
   * @param columns of every table of figures, from left to right
   */
  protected Evaluation(Paper paper, RunPlan plan, Comparison comparison, List<Column> columns) {
    this.paper = paper;
    this.plan = plan;
    this.comparison = comparison;
    this.columns = List.copyOf(columns);
  }

  public final Paper paper() {
    return paper;
  }

  /** The durations of the cases, except those with a plan of their own. */
  public final RunPlan plan() {
    return plan;
  }

  /** The durations of one case. */
  public RunPlan plan(Case one) {
    return plan;
  }

  /** All cases to measure, including those that this system may be unable to run. */
  public abstract List<Case> cases();

  /** Notes that a reader needs to judge the figures, a sentence or a few each. */
  public abstract List<String> notes();

  /** What a reader sees of the results, of which any may be missing. */
  public abstract EvaluationReport report(Results results);

  /** A report to which nothing is added yet. */
  protected final EvaluationReport emptyReport(Results results) {
    return new EvaluationReport(paper.name(), results, comparison, columns);
  }

  /**
   * What measures the cases: by default in rounds, on clusters that run beside each other.
   *
   * @param data an existing directory, which contains the data of the clusters while they run
   * @param bandwidthLimit what limits the bandwidth in the cases that demand a limit
   */
  public CaseRunner runner(Path data, BandwidthLimit bandwidthLimit, ProgressLine progress) {
    return new InterleavedRunner(plan, data, bandwidthLimit, progress);
  }
}

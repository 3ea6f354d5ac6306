package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.DataDirectoryOption;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperOutput;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.benchmarks.paper.testbed.Feasibility;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.client.cli.terminal.ProgressLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of every paper command, and their common execution. */
public final class PaperOptions {
  @Option(names = "--quick", description = "Measure fewer points for a shorter time.")
  private boolean quick;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "EXPERIMENT",
      description = "Measure only these experiments; a list.")
  private List<String> only = List.of();

  @Mixin private DataDirectoryOption data;
  @Mixin private OutputOptions output;

  public boolean quick() {
    return quick;
  }

  /**
   * Measures all selected and feasible cases, prints the report, and writes the requested files.
   * Blocks.
   *
   * @param spec of the command
   * @return the exit code: 0 if everything was measured, otherwise 1, regardless of the report
   * @throws ParameterException if a selected experiment is none of the evaluation
   * @throws io.quorate.server.localcluster.ClusterException if the first cluster does not serve
   * @throws IOException if nothing could be measured, or a file cannot be written
   */
  public int run(CommandSpec spec, Evaluation evaluation) throws IOException, InterruptedException {
    List<Case> selected = selected(spec, evaluation);
    List<String> notes = new ArrayList<>();
    notes.add(text(evaluation.plan()));
    notes.addAll(evaluation.notes());
    if (!only.isEmpty()) {
      notes.add("Measured were only " + String.join(", ", only) + ".");
    }
    Feasibility feasibility = Feasibility.here(selected);
    List<Case> cases = feasibility.only(selected);
    notes.addAll(feasibility.notes(selected));
    Machine before = Machine.now();
    Results results = measure(evaluation, cases, feasibility.bandwidthLimit());
    Machine machine = Machine.now();
    if (!results.cases().isEmpty() && results.roundsMin() < evaluation.plan().rounds()) {
      notes.add("Time was short: some figures are of " + results.roundsMin() + " round(s) only.");
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "The load average was %.2f before; that after it is that of the measurement itself, on"
                + " which all nodes and clients shared the cores.",
            before.load()));
    notes.addAll(results.failures());
    EvaluationReport report = evaluation.report(results);
    PaperOutput paper = new PaperOutput(evaluation.title(), notes, report.tables(), report.plots());
    paper.print(spec.commandLine().getOut(), machine);
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    paper.write(output, new Report(command, machine, report.rows()), evaluation.name());
    return results.failures().isEmpty() ? 0 : 1;
  }

  /** The cases of the experiments in {@code --only}; all cases without it. */
  private List<Case> selected(CommandSpec spec, Evaluation evaluation) {
    List<Case> cases = evaluation.cases();
    List<String> experiments = cases.stream().map(Case::experiment).distinct().toList();
    for (String each : only) {
      if (!experiments.contains(each)) {
        throw new ParameterException(
            spec.commandLine(),
            "There is no experiment "
                + each
                + " in this evaluation; it has "
                + String.join(", ", experiments)
                + ".");
      }
    }
    return only.isEmpty()
        ? cases
        : cases.stream().filter(each -> only.contains(each.experiment())).toList();
  }

  private Results measure(Evaluation evaluation, List<Case> cases, BandwidthLimit bandwidthLimit)
      throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      return evaluation.runner(data.make(), bandwidthLimit, progress).measure(cases);
    }
  }

  private static String text(RunPlan plan) {
    return String.format(
        Locale.ROOT,
        "Each figure is the median of %d rounds of %.1f s, and its spread how far apart they are;"
            + " a ratio is the median of the rounds' ratios, of turns one directly after the other.",
        plan.rounds(),
        plan.slice().toMillis() / 1000.0);
  }
}

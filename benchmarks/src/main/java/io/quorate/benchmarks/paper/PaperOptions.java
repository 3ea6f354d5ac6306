package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.DataDirectoryOption;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperOutput;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.benchmarks.paper.testbed.Feasibility;
import io.quorate.benchmarks.report.InterruptAtShutdown;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of every paper command, and their common execution. */
public final class PaperOptions {
  private static final Logger LOG = LoggerFactory.getLogger(PaperOptions.class);

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
   * Measures all selected and feasible cases, prints the report, and writes the requested files. A
   * failure, or the end of the JVM by a signal, does not lose what was measured before. Blocks.
   *
   * @param spec of the command
   * @return the exit code: 0 if everything was measured, otherwise 1, regardless of the report
   * @throws ParameterException if a selected experiment is none of the evaluation
   * @throws io.quorate.server.localcluster.ClusterException if the first cluster does not serve
   * @throws IOException if nothing could be measured, or a file cannot be written
   */
  public int run(CommandSpec spec, Evaluation evaluation) throws IOException {
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
    output.prepare();
    try (InterruptAtShutdown interrupt = new InterruptAtShutdown()) {
      Machine before = Machine.now();
      Results results = measure(evaluation, cases, feasibility.bandwidthLimit(), interrupt);
      notes.addAll(notes(evaluation, results, before));
      report(spec, evaluation, results, notes);
      return results.failures().isEmpty() ? 0 : 1;
    }
  }

  private static List<String> notes(Evaluation evaluation, Results results, Machine before) {
    List<String> notes = new ArrayList<>();
    results.cases().stream()
        .filter(each -> results.roundsMin(each) < evaluation.plan(each).rounds())
        .mapToInt(results::roundsMin)
        .min()
        .ifPresent(
            rounds ->
                notes.add("Time was short: some figures are of " + rounds + " round(s) only."));
    notes.add(
        String.format(
            Locale.ROOT,
            "The load average was %.2f before; that after it is that of the measurement itself, on"
                + " which all nodes and clients shared the cores.",
            before.load()));
    notes.addAll(results.failures());
    return notes;
  }

  private void report(CommandSpec spec, Evaluation evaluation, Results results, List<String> notes)
      throws IOException {
    Machine machine = Machine.now();
    EvaluationReport report = evaluation.report(results);
    PaperOutput paper =
        new PaperOutput(evaluation.paper().title(), notes, report.tables(), report.plots());
    paper.print(spec.commandLine().getOut(), machine);
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    paper.write(output, new Report(command, machine, report.rows()), evaluation.paper().name());
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

  /**
   * Measures the cases. A failure or an interrupt after the first complete measurement is a part of
   * the results.
   */
  private Results measure(
      Evaluation evaluation,
      List<Case> cases,
      BandwidthLimit bandwidthLimit,
      InterruptAtShutdown interrupt)
      throws IOException {
    Results results = new Results();
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      evaluation.runner(data.make(), bandwidthLimit, progress).measure(cases, results);
    } catch (InterruptedException e) {
      if (results.cases().isEmpty()) {
        throw new IOException("The run was interrupted before anything was measured.", e);
      }
      results.addFailure("NOT ALL MEASURED, because the run was interrupted.");
    } catch (IOException | RuntimeException e) {
      if (results.cases().isEmpty()) {
        throw e;
      }
      LOG.warn("A measurement ended early", e);
      results.addFailure("NOT ALL MEASURED, because of a failure: " + e.getMessage());
    } finally {
      interrupt.measured();
    }
    return results;
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

package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.DataDirectory;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.client.cli.ProgressLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of every paper command, and their common execution. */
public final class PaperOptions {
  @Option(names = "--quick", description = "Measure fewer points for a shorter time.")
  private boolean quick;

  @Mixin private DataDirectory data;
  @Mixin private OutputOptions output;

  public boolean quick() {
    return quick;
  }

  /**
   * Measures all feasible cases, prints the findings, and writes the requested files. Blocks.
   *
   * @param spec of the command
   * @return the exit code: 0, regardless of the findings
   * @throws io.quorate.server.localcluster.ClusterException if a cluster does not serve
   * @throws IOException if a measurement is aborted or a file cannot be written
   */
  public int run(CommandSpec spec, Experiment experiment) throws IOException, InterruptedException {
    List<String> notes = new ArrayList<>();
    notes.add(text(experiment.pace()));
    notes.addAll(experiment.notes());
    Feasibility feasibility = Feasibility.here();
    List<Case> cases = feasibility.only(experiment.cases());
    notes.addAll(feasibility.notes(experiment.cases()));
    Machine before = Machine.now();
    Results results = measure(experiment.pace(), cases);
    Machine machine = Machine.now();
    if (results.roundsMin() < experiment.pace().rounds()) {
      notes.add("Time was short: some figures are of " + results.roundsMin() + " round(s) only.");
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "The load average was %.2f before; that after it is that of the measurement itself, on"
                + " which all nodes and clients shared the cores.",
            before.load()));
    Findings findings = experiment.findings(results);
    PaperOutput paper =
        new PaperOutput(experiment.title(), notes, findings.tables(), findings.plots());
    paper.print(spec.commandLine().getOut(), machine);
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    paper.write(output, new Report(command, machine, findings.rows()), experiment.name());
    return 0;
  }

  private Results measure(RunPlan plan, List<Case> cases) throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      return new InterleavedRunner(plan, data.make(), progress).measure(cases);
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

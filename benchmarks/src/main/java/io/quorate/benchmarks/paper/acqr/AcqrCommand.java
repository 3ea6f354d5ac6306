package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.cluster.DataDirectory;
import io.quorate.benchmarks.cluster.WideArea;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Pace;
import io.quorate.benchmarks.paper.PaperOutput;
import io.quorate.benchmarks.paper.Results;
import io.quorate.benchmarks.paper.Turns;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.client.cli.ProgressLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code paper acqr}: the evaluation of quorum reads over Rabia. */
@Command(
    name = "acqr",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Quorum reads over Rabia beside reads by consensus, and Rabia with owned slots beside the"
          + " published one; every figure beside the paper's.",
      "Clusters of processes are started for it and removed afterwards; those that are compared take"
          + " turns. Takes about 40 minutes, with --quick less than 5 where little else runs. Exits with 0 when everything"
          + " was measured, whether aims are met or not."
    })
public final class AcqrCommand implements Callable<Integer> {
  private static final String NAME = "acqr";

  private final Lineup lineup;
  private final Extent quickExtent;

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Measure fewer points for a shorter time.")
  private boolean quick;

  @Mixin private DataDirectory data;
  @Mixin private OutputOptions output;

  public AcqrCommand() {
    this(Lineup.ofPresets(), Extent.QUICK);
  }

  /** With others than those of the evaluation. */
  AcqrCommand(Lineup lineup, Extent quickExtent) {
    this.lineup = lineup;
    this.quickExtent = quickExtent;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Extent extent = quick ? quickExtent : Extent.FULL;
    Evaluation evaluation = new Evaluation(lineup, extent);
    List<String> notes = new ArrayList<>();
    notes.add(text(extent.pace()));
    List<Case> cases = feasible(evaluation.cases(), notes);
    Machine before = Machine.now();
    Results results = measure(extent.pace(), cases);
    Machine machine = Machine.now();
    if (results.roundsLeast() < extent.pace().rounds()) {
      notes.add("Time was short: some figures are of " + results.roundsLeast() + " round(s) only.");
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "The load average was %.2f before; that after it is that of the measurement itself, on"
                + " which all nodes and clients shared the cores.",
            before.load()));
    AcqrReport report = new AcqrReport(results, lineup, evaluation.aims());
    PaperOutput paper =
        new PaperOutput("ACQR: quorum reads over Rabia", notes, report.tables(), report.plots());
    paper.print(spec.commandLine().getOut(), machine);
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    paper.write(output, new Report(command, machine, report.rows()), NAME);
    return 0;
  }

  private Results measure(Pace pace, List<Case> cases) throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      return new Turns(pace, data.make(), progress).measure(cases);
    }
  }

  /** Delays need something of the system; where it lacks that, the notes say so. */
  private static List<Case> feasible(List<Case> cases, List<String> notes) {
    if (WideArea.obstacle().isEmpty()) {
      notes.add(
          "Delays between sites are those of relays in the process that measures; the clients are on"
              + " the site of node n1.");
      return cases;
    }
    notes.add("NOT MEASURED: delays between sites; " + WideArea.obstacle().get() + ".");
    return cases.stream().filter(each -> each.oneWayDelay().isZero()).toList();
  }

  private static String text(Pace pace) {
    return String.format(
        Locale.ROOT,
        "Each figure is the median of %d rounds of %.1f s, and its spread how far apart they are."
            + " Ratios of acqr and raft are over \"rabia, owned\", those of \"rabia, owned\" over"
            + " \"rabia, published\"; the paper's are over its own Rabia, the published one.",
        pace.rounds(),
        pace.slice().toMillis() / 1000.0);
  }
}

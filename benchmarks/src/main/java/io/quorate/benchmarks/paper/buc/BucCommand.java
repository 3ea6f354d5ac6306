package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.Experiment;
import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper buc}: the evaluation of Commit Return and Read Acceleration. */
@Command(
    name = "buc",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Raft that answers at commit (cr) and whose reads do not wait for apply either (buc), beside"
          + " plain Raft; every figure beside the paper's.",
      PaperCommand.HOW
    })
public final class BucCommand extends PaperCommand {
  private final Lineup lineup;
  private final Extent quickExtent;

  public BucCommand() {
    this(Lineup.ofPresets(), Extent.QUICK);
  }

  /** With others than those of the evaluation. */
  BucCommand(Lineup lineup, Extent quickExtent) {
    this.lineup = lineup;
    this.quickExtent = quickExtent;
  }

  @Override
  protected Experiment experiment(boolean quick) {
    return new Evaluation(lineup, quick ? quickExtent : Extent.FULL);
  }
}

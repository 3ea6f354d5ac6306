package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.Experiment;
import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper acqr}: the evaluation of quorum reads over Rabia. */
@Command(
    name = "acqr",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Quorum reads over Rabia beside reads by consensus, and Rabia with owned slots beside the"
          + " published one; every figure beside the paper's.",
      PaperCommand.HOW
    })
public final class AcqrCommand extends PaperCommand {
  private final Lineup lineup;
  private final Extent quickExtent;

  public AcqrCommand() {
    this(Lineup.ofPresets(), Extent.QUICK);
  }

  /** With others than those of the evaluation. */
  AcqrCommand(Lineup lineup, Extent quickExtent) {
    this.lineup = lineup;
    this.quickExtent = quickExtent;
  }

  @Override
  protected Experiment experiment(boolean quick) {
    return new Evaluation(lineup, quick ? quickExtent : Extent.FULL);
  }
}

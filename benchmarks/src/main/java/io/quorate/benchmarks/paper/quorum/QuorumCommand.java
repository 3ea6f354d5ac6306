package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.Experiment;
import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper quorum}: the evaluation of quorum reads on Raft. */
@Command(
    name = "quorum",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Reads of Raft by majorities, by the leader, and by a mix of both, on five nodes; every figure"
          + " beside the paper's.",
      PaperCommand.HOW
    })
public final class QuorumCommand extends PaperCommand {
  private final Lineup lineup;
  private final Extent quickExtent;

  public QuorumCommand() {
    this(Lineup.ofPresets(), Extent.QUICK);
  }

  /** With others than those of the evaluation. */
  QuorumCommand(Lineup lineup, Extent quickExtent) {
    this.lineup = lineup;
    this.quickExtent = quickExtent;
  }

  @Override
  protected Experiment experiment(boolean quick) {
    return new Evaluation(lineup, quick ? quickExtent : Extent.FULL);
  }
}

package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper quorum}: runs the evaluation of quorum reads on Raft. */
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

  public QuorumCommand() {
    this(QuorumSystems.ofPresets(), QuorumScale.QUICK);
  }

  /** Uses other systems and another quick scale than the evaluation. */
  QuorumCommand(QuorumSystems systems, QuorumScale quickScale) {
    super(
        new QuorumEvaluation(systems, QuorumScale.FULL), new QuorumEvaluation(systems, quickScale));
  }
}

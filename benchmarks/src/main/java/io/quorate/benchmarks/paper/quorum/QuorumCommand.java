package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.Experiment;
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
  private final Systems systems;
  private final RunScale quickScale;

  public QuorumCommand() {
    this(Systems.ofPresets(), RunScale.QUICK);
  }

  /** Uses other systems and another quick scale than the evaluation. */
  QuorumCommand(Systems systems, RunScale quickScale) {
    this.systems = systems;
    this.quickScale = quickScale;
  }

  @Override
  protected Experiment experiment(boolean quick) {
    return new Evaluation(systems, quick ? quickScale : RunScale.FULL);
  }
}

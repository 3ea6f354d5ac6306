package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.Experiment;
import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper buc}: runs the evaluation of Commit Return and Read Acceleration. */
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
  private final Systems systems;
  private final RunScale quickScale;

  public BucCommand() {
    this(Systems.ofPresets(), RunScale.QUICK);
  }

  /** Uses other systems and another quick scale than the evaluation. */
  BucCommand(Systems systems, RunScale quickScale) {
    this.systems = systems;
    this.quickScale = quickScale;
  }

  @Override
  protected Experiment experiment(boolean quick) {
    return new Evaluation(systems, quick ? quickScale : RunScale.FULL);
  }
}

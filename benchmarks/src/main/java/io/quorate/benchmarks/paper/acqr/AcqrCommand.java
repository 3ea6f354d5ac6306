package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.Experiment;
import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper acqr}: runs the evaluation of quorum reads over Rabia. */
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
  private final Systems systems;
  private final RunScale quickScale;

  public AcqrCommand() {
    this(Systems.ofPresets(), RunScale.QUICK);
  }

  /** Uses other systems and another quick scale than the evaluation. */
  AcqrCommand(Systems systems, RunScale quickScale) {
    this.systems = systems;
    this.quickScale = quickScale;
  }

  @Override
  protected Experiment experiment(boolean quick) {
    return new Evaluation(systems, quick ? quickScale : RunScale.FULL);
  }
}

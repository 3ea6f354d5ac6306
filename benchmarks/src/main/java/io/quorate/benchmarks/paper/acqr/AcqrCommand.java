package io.quorate.benchmarks.paper.acqr;

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

  public AcqrCommand() {
    this(AcqrSystems.ofPresets(), AcqrScale.QUICK);
  }

  /** Uses other systems and another quick scale than the evaluation. */
  AcqrCommand(AcqrSystems systems, AcqrScale quickScale) {
    super(new AcqrEvaluation(systems, AcqrScale.FULL), new AcqrEvaluation(systems, quickScale));
  }
}

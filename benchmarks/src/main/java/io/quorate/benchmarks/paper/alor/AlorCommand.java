package io.quorate.benchmarks.paper.alor;

import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper alor}: runs the evaluation of ALOR. */
@Command(
    name = "alor",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replicas and leaders placed by the speed of devices against even distribution, on nodes whose"
          + " devices differ; every figure beside the paper's.",
      PaperCommand.HOW
    })
public final class AlorCommand extends PaperCommand {

  public AlorCommand() {
    this(AlorSystems.ofPolicies(), AlorScale.QUICK);
  }

  /** Uses other systems and another quick scale than the evaluation. */
  AlorCommand(AlorSystems systems, AlorScale quickScale) {
    super(new AlorEvaluation(systems, AlorScale.FULL), new AlorEvaluation(systems, quickScale));
  }
}

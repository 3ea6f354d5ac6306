package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper buc}: runs the evaluation of Commit Return and Read Acceleration. */
@Command(
    name = "buc",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Raft that responds at commit (cr) and whose reads do not wait for apply either (buc), beside"
          + " plain Raft; every figure beside the paper's.",
      PaperCommand.HOW
    })
public final class BucCommand extends PaperCommand {

  public BucCommand() {
    this(BucSystems.ofPresets(), BucScale.QUICK);
  }

  /** Uses other systems and another quick scale than the evaluation. */
  BucCommand(BucSystems systems, BucScale quickScale) {
    super(new BucEvaluation(systems, BucScale.FULL), new BucEvaluation(systems, quickScale));
  }
}

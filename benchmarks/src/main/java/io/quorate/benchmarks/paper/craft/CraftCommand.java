package io.quorate.benchmarks.paper.craft;

import io.quorate.benchmarks.paper.PaperCommand;
import picocli.CommandLine.Command;

/** {@code paper craft}: runs the evaluation of CRaft. */
@Command(
    name = "craft",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Raft that replicates large values as erasure-coded fragments, beside complete replication,"
          + " on five and seven nodes; every figure beside the paper's.",
      PaperCommand.HOW
    })
public final class CraftCommand extends PaperCommand {

  public CraftCommand() {
    this(CraftSystems.ofPresets(), CraftScale.QUICK);
  }

  /** Uses other systems and another quick scale than the evaluation. */
  CraftCommand(CraftSystems systems, CraftScale quickScale) {
    super(new CraftEvaluation(systems, CraftScale.FULL), new CraftEvaluation(systems, quickScale));
  }
}

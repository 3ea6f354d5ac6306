package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.PaperOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code paper.quorum}: the evaluation of quorum reads on Raft. */
@Command(
    name = "quorum",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Reads of Raft by majorities, by the leader, and by a mix of both, on five nodes; every figure"
          + " beside the paper's.",
      "Clusters of processes are started for it and removed afterwards; those that are compared take"
          + " turns. Takes about 40 minutes, with --quick less than 5 where little else runs. Exits"
          + " with 0 when everything was measured, whether aims are met or not."
    })
public final class QuorumCommand implements Callable<Integer> {
  private final Lineup lineup;
  private final Extent quickExtent;

  @Spec private CommandSpec spec;
  @Mixin private PaperOptions options;

  public QuorumCommand() {
    this(Lineup.ofPresets(), Extent.QUICK);
  }

  /** With others than those of the evaluation. */
  QuorumCommand(Lineup lineup, Extent quickExtent) {
    this.lineup = lineup;
    this.quickExtent = quickExtent;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Extent extent = options.quick() ? quickExtent : Extent.FULL;
    return options.run(spec, new Evaluation(lineup, extent));
  }
}

package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.PaperOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code paper buc}: the evaluation of Commit Return and Read Acceleration. */
@Command(
    name = "buc",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Raft that answers at commit (cr) and whose reads do not wait for apply either (buc), beside"
          + " plain Raft; every figure beside the paper's.",
      "Clusters of processes are started for it and removed afterwards; those that are compared take"
          + " turns. Takes about 40 minutes, with --quick less than 5 where little else runs. Exits"
          + " with 0 when everything was measured, whether aims are met or not."
    })
public final class BucCommand implements Callable<Integer> {
  private final Lineup lineup;
  private final Extent quickExtent;

  @Spec private CommandSpec spec;
  @Mixin private PaperOptions options;

  public BucCommand() {
    this(Lineup.ofPresets(), Extent.QUICK);
  }

  /** With others than those of the evaluation. */
  BucCommand(Lineup lineup, Extent quickExtent) {
    this.lineup = lineup;
    this.quickExtent = quickExtent;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Extent extent = options.quick() ? quickExtent : Extent.FULL;
    return options.run(spec, new Evaluation(lineup, extent));
  }
}

package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.PaperOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code paper acqr}: the evaluation of quorum reads over Rabia. */
@Command(
    name = "acqr",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Quorum reads over Rabia beside reads by consensus, and Rabia with owned slots beside the"
          + " published one; every figure beside the paper's.",
      "Clusters of processes are started for it and removed afterwards; those that are compared take"
          + " turns. Takes about 40 minutes, with --quick less than 5 where little else runs. Exits with 0 when everything"
          + " was measured, whether aims are met or not."
    })
public final class AcqrCommand implements Callable<Integer> {
  private final Lineup lineup;
  private final Extent quickExtent;

  @Spec private CommandSpec spec;
  @Mixin private PaperOptions options;

  public AcqrCommand() {
    this(Lineup.ofPresets(), Extent.QUICK);
  }

  /** With others than those of the evaluation. */
  AcqrCommand(Lineup lineup, Extent quickExtent) {
    this.lineup = lineup;
    this.quickExtent = quickExtent;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Extent extent = options.quick() ? quickExtent : Extent.FULL;
    return options.run(spec, new Evaluation(lineup, extent));
  }
}

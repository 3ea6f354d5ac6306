package io.quorate.benchmarks.paper;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code paper NAME}: measures the claims of a paper and reports the results. */
public abstract class PaperCommand implements Callable<Integer> {
  /** The last paragraph of the help of each paper command. */
  public static final String HOW =
      "Clusters of processes are started for it and removed afterwards; those that are compared take"
          + " turns. Takes 25 to 80 minutes, with --quick about 5 where little else runs. Exits"
          + " with 0 when everything was measured, whether aims are met or not, with 1 when a part"
          + " failed or the run was interrupted; the report has the rest then.";

  @Spec private CommandSpec spec;
  @Mixin private PaperOptions options;

  private final Evaluation full;
  private final Evaluation quick;

  /**
   * @param quick with fewer points, for a shorter time
   */
  protected PaperCommand(Evaluation full, Evaluation quick) {
    this.full = full;
    this.quick = quick;
  }

  @Override
  public final Integer call() throws IOException {
    return options.run(spec, options.quick() ? quick : full);
  }
}

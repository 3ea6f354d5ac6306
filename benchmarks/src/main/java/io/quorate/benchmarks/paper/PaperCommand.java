package io.quorate.benchmarks.paper;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code paper NAME}: measures the claims of a paper and reports the results. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public final class PaperCommand implements Callable<Integer> {
  /** The last paragraph of the help. */
  private static final String HOW =
      "Clusters of processes are started for it and removed afterwards; those that are compared take"
          + " turns. Takes 25 to 80 minutes, with --quick about 5 where little else runs. Exits"
          + " with 0 when everything was measured, whether aims are met or not, with 1 when a part"
          + " failed or the run was interrupted; the report has the rest then.";

  @Spec private CommandSpec spec;
  @Mixin private PaperOptions options;

  private final Evaluation full;
  private final Evaluation quick;

  /**
   * @param quick of the same paper, with fewer points, for a shorter time
   */
  public PaperCommand(Evaluation full, Evaluation quick) {
    this.full = full;
    this.quick = quick;
  }

  /** The command with the name of the paper and its help. */
  public CommandLine commandLine() {
    CommandLine line = new CommandLine(this);
    line.getCommandSpec()
        .name(full.paper().name())
        .usageMessage()
        .description(full.paper().summary(), HOW);
    return line;
  }

  @Override
  public Integer call() throws IOException {
    return options.run(spec, options.quick() ? quick : full);
  }
}

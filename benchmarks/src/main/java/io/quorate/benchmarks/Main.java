package io.quorate.benchmarks;

import io.quorate.benchmarks.costs.CostsCommand;
import io.quorate.benchmarks.fuzz.FuzzCommand;
import io.quorate.benchmarks.growth.GrowthCommand;
import io.quorate.benchmarks.idle.IdleCommand;
import io.quorate.benchmarks.kv.KvCommand;
import io.quorate.benchmarks.micro.JmhCommand;
import io.quorate.benchmarks.overload.OverloadCommand;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.acqr.AcqrEvaluation;
import io.quorate.benchmarks.paper.alor.AlorEvaluation;
import io.quorate.benchmarks.paper.buc.BucEvaluation;
import io.quorate.benchmarks.paper.craft.CraftEvaluation;
import io.quorate.benchmarks.paper.quorum.QuorumEvaluation;
import io.quorate.benchmarks.peers.PeersCommand;
import io.quorate.benchmarks.simulate.SimulateCommand;
import io.quorate.benchmarks.torture.TortureCommand;
import io.quorate.benchmarks.ycsb.run.YcsbCommand;
import io.quorate.client.QuorateException;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.InheritedOptions;
import io.quorate.server.cli.terminal.OneSentence;
import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.logging.ServerLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The program with all commands that measure or verify. */
public final class Main {
  private static final OneSentence USAGE_ERRORS = new OneSentence();

  private Main() {}

  @Command(
      name = "quorate",
      mixinStandardHelpOptions = true,
      synopsisSubcommandLabel = "COMMAND",
      subcommands = {
        Bench.class,
        Paper.class,
        TortureCommand.class,
        SimulateCommand.class,
        FuzzCommand.class
      })
  private static final class Root {}

  @Command(
      name = "bench",
      mixinStandardHelpOptions = true,
      synopsisSubcommandLabel = "COMMAND",
      description = "Measure the database.",
      subcommands = {
        KvCommand.class,
        CostsCommand.class,
        PeersCommand.class,
        YcsbCommand.class,
        GrowthCommand.class,
        IdleCommand.class,
        OverloadCommand.class,
        JmhCommand.class
      })
  private static final class Bench {}

  @Command(
      name = "paper",
      mixinStandardHelpOptions = true,
      synopsisSubcommandLabel = "COMMAND",
      description = "Repeat the evaluation of a paper.")
  private static final class Paper {}

  public static void main(String[] arguments) {
    ServerLog.use();
    // Plots are drawn into files; a display that is named but gone must not matter.
    System.setProperty("java.awt.headless", "true");
    System.exit(commandLine().execute(arguments));
  }

  /** Creates the command line, which reports each error in one sentence. */
  static CommandLine commandLine() {
    CommandLine root = new CommandLine(new Root());
    CommandLine papers = root.getSubcommands().get("paper");
    Stream.of(
            AcqrEvaluation.command(),
            AlorEvaluation.command(),
            BucEvaluation.command(),
            CraftEvaluation.command(),
            QuorumEvaluation.command())
        .map(PaperCommand::commandLine)
        .forEach(each -> papers.addSubcommand(each));
    root.setCaseInsensitiveEnumValuesAllowed(true);
    root.setParameterExceptionHandler(USAGE_ERRORS);
    root.setExecutionExceptionHandler(Main::reportFailure);
    root.setExecutionStrategy(new InheritedOptions());
    root.getSubcommands()
        .get("bench")
        .getSubcommands()
        .get("jmh")
        .setUnmatchedOptionsArePositionalParams(true);
    return root;
  }

  /**
   * Reports an error that the user can fix in one sentence; rethrows any other, which is printed
   * with its stack trace.
   */
  private static int reportFailure(
      Exception e, CommandLine command, CommandLine.ParseResult arguments) throws Exception {
    if (e instanceof ClusterException && !(e instanceof ClusterException.NotServing)) {
      return USAGE_ERRORS.handleParseException(
          new ParameterException(command, e.getMessage(), e), new String[0]);
    }
    if (e instanceof ClusterException
        || e instanceof QuorateException
        || e instanceof IOException
        || e instanceof UncheckedIOException) {
      command.getErr().println(e.getMessage());
      command.getErr().flush();
      return ExitCode.UNAVAILABLE.code();
    }
    throw e;
  }
}

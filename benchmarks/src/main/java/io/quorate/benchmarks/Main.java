package io.quorate.benchmarks;

import io.quorate.benchmarks.idle.IdleCommand;
import io.quorate.benchmarks.kv.KvCommand;
import io.quorate.benchmarks.micro.JmhCommand;
import io.quorate.client.QuorateException;
import io.quorate.server.dev.ClusterException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** Every command that measures. */
public final class Main {
  private static final int EXIT_UNAVAILABLE = 3;

  private Main() {}

  @Command(
      name = "quorate",
      mixinStandardHelpOptions = true,
      synopsisSubcommandLabel = "COMMAND",
      subcommands = Bench.class)
  private static final class Root {}

  @Command(
      name = "bench",
      mixinStandardHelpOptions = true,
      synopsisSubcommandLabel = "COMMAND",
      description = "Measure the database.",
      subcommands = {KvCommand.class, IdleCommand.class, JmhCommand.class})
  private static final class Bench {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** The command line with its answers to what goes wrong: one sentence each. */
  static CommandLine commandLine() {
    CommandLine root = new CommandLine(new Root());
    root.setCaseInsensitiveEnumValuesAllowed(true);
    root.setParameterExceptionHandler(Main::tellWrongUse);
    root.setExecutionExceptionHandler(Main::tellFailure);
    root.getSubcommands()
        .get("bench")
        .getSubcommands()
        .get("jmh")
        .setUnmatchedOptionsArePositionalParams(true);
    return root;
  }

  private static int tellWrongUse(ParameterException e, String[] arguments) {
    PrintWriter err = e.getCommandLine().getErr();
    err.println(e.getMessage());
    err.println(
        "See \""
            + e.getCommandLine().getCommandSpec().qualifiedName()
            + " --help\" for the options.");
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  /** What the user can do something about is a sentence; anything else is ours, with its trace. */
  private static int tellFailure(
      Exception e, CommandLine command, CommandLine.ParseResult arguments) throws Exception {
    boolean wrongUse = e instanceof ClusterException && !(e instanceof ClusterException.NotServing);
    if (wrongUse) {
      return tellWrongUse(new ParameterException(command, e.getMessage(), e), new String[0]);
    }
    if (e instanceof ClusterException
        || e instanceof QuorateException
        || e instanceof IOException
        || e instanceof UncheckedIOException) {
      command.getErr().println(e.getMessage());
      command.getErr().flush();
      return EXIT_UNAVAILABLE;
    }
    throw e;
  }
}

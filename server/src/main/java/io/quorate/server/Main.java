package io.quorate.server;

import io.quorate.server.dev.DevCommand;
import picocli.CommandLine;

/** The {@code quorate} program: the server, and the commands that talk to one. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** The whole command line, to be executed or asked for its help. */
  static CommandLine commandLine() {
    CommandLine commands = new CommandLine(new Commands());
    commands.addSubcommand(new ServerCommand(Runtime.getRuntime()::halt));
    commands.addSubcommand(new DevCommand());
    return commands;
  }

  /** What is run without a verb. */
  @CommandLine.Command(
      name = "quorate",
      description = "A replicated key-value database.",
      mixinStandardHelpOptions = true,
      versionProvider = VersionProvider.class,
      synopsisSubcommandLabel = "COMMAND")
  static final class Commands implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "Say which command to run; quorate --help lists them.");
    }
  }
}

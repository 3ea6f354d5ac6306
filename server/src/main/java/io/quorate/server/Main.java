package io.quorate.server;

import io.quorate.client.cli.ClientCommands;
import io.quorate.client.cli.OneSentence;
import io.quorate.client.cli.Terminal;
import io.quorate.server.dev.DevCommand;
import io.quorate.server.shell.ShellCommand;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;

/** The {@code quorate} program: the server, and the commands that talk to one. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    // gRPC logs by the JDK's own means; all lines take the same way.
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    System.exit(commandLine().execute(arguments));
  }

  /** The whole command line, to be executed or asked for its help. */
  static CommandLine commandLine() {
    CommandLine commands = new CommandLine(new Commands());
    Terminal terminal = Terminal.standard();
    ClientCommands.all(terminal).forEach(commands::addSubcommand);
    commands.addSubcommand(new ShellCommand(terminal));
    commands.addSubcommand(new ServerCommand(Runtime.getRuntime()::halt));
    commands.addSubcommand(new HealthCommand());
    commands.addSubcommand(new DevCommand());
    Verbs.describe(commands);
    terminal.attach(commands);
    commands.setParameterExceptionHandler(new OneSentence());
    return commands;
  }

  /** What is run without a verb. */
  @CommandLine.Command(
      name = "quorate",
      description = "A replicated key-value database.",
      footer = {"", "quorate VERB --help describes one."},
      mixinStandardHelpOptions = true,
      versionProvider = VersionProvider.class,
      synopsisSubcommandLabel = "COMMAND")
  static final class Commands implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
      spec.commandLine().usage(spec.commandLine().getOut());
    }
  }
}

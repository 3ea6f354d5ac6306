package io.quorate.server;

import io.quorate.server.cli.ClientCommands;
import io.quorate.server.cli.shell.ShellCommand;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.OneSentence;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.localcluster.DevCommand;
import io.quorate.server.logging.ServerLog;
import io.quorate.server.logging.StandardError;
import io.quorate.server.probe.ProbeCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;

/** The {@code quorate} program: the server, and the commands that access one. */
public final class Main {
  static final String LOG_LEVEL = "QUORATE_LOG";

  /** Logback would interpret any other value as DEBUG. */
  private static final List<String> LOG_LEVELS =
      List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");

  private Main() {}

  public static void main(String[] arguments) {
    Optional<String> level = Optional.ofNullable(System.getenv(LOG_LEVEL));
    if (level.isPresent() && !LOG_LEVELS.contains(level.get().toUpperCase(Locale.ROOT))) {
      System.err.println(
          LOG_LEVEL + " must be one of " + LOG_LEVELS + ", not " + level.get() + ".");
      System.exit(ExitCode.USAGE.code());
    }
    Terminal terminal = Terminal.standard();
    Optional<CommandLine> request =
        arguments.length == 0 ? Optional.empty() : request(arguments[0], terminal);
    if (request.isPresent()) {
      RequestLogging.use();
      System.exit(commandLine(terminal, request.get()).execute(arguments));
    }
    ServerLog.use();
    // Some libraries log through java.util.logging; all log lines take the same path.
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    int code = commandLine(terminal).execute(arguments);
    StandardError.flush();
    System.exit(code);
  }

  /** The command line of a verb that runs no node; empty for other verbs. */
  private static Optional<CommandLine> request(String verb, Terminal terminal) {
    return switch (verb) {
      case "health" -> Optional.of(new CommandLine(new HealthCommand()));
      case "certs" -> Optional.of(new CommandLine(new CertsCommand(terminal)));
      case "probe" -> Optional.of(new CommandLine(new ProbeCommand(terminal)));
      default -> ClientCommands.named(verb, terminal);
    };
  }

  static CommandLine commandLine() {
    return commandLine(Terminal.standard());
  }

  /** Creates the command line of all verbs, with the streams that they read and write. */
  public static CommandLine commandLine(Terminal terminal) {
    List<CommandLine> verbs = new ArrayList<>(ClientCommands.all(terminal));
    verbs.add(new CommandLine(new ShellCommand(terminal)));
    verbs.add(new CommandLine(new ServerCommand(Runtime.getRuntime()::halt)));
    verbs.add(new CommandLine(new HealthCommand()));
    verbs.add(new CommandLine(new ProbeCommand(terminal)));
    verbs.add(new CommandLine(new CertsCommand(terminal)));
    verbs.add(new CommandLine(new DevCommand()));
    CommandLine commands = new CommandLine(new Commands());
    verbs.forEach(verb -> commands.addSubcommand(verb.getCommandName(), verb));
    Verbs.describe(commands, terminal);
    return attached(commands, terminal);
  }

  /** Creates a command line of one verb, because creating all verbs takes longer than a request. */
  private static CommandLine commandLine(Terminal terminal, CommandLine verb) {
    CommandLine commands = new CommandLine(new Commands());
    commands.addSubcommand(verb.getCommandName(), verb);
    return attached(commands, terminal);
  }

  private static CommandLine attached(CommandLine commands, Terminal terminal) {
    terminal.attach(commands);
    commands.setParameterExceptionHandler(new OneSentence());
    return commands;
  }

  /** The command that is run without a verb. */
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

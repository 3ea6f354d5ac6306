package io.quorate.client.cli;

import io.quorate.client.cli.load.LoadCommand;
import io.quorate.client.cli.status.StatusCommand;
import io.quorate.client.cli.terminal.Terminal;
import io.quorate.client.cli.verb.ClientVerb;
import io.quorate.client.cli.verb.Connections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Creates the command lines of the client verbs, for programs that add them below their own
 * top-level command.
 */
public final class ClientCommands {
  private static final Map<String, BiFunction<Terminal, Connections, ClientVerb>> VERBS = verbs();

  private ClientCommands() {}

  /**
   * Creates the command lines of all verbs: put, get, delete, cas, incr, append, getput, batch,
   * scan, count, status, load, move-leader and move-replica.
   *
   * <pre>{@code
   * Terminal terminal = Terminal.standard();
   * ClientCommands.all(terminal).forEach(commandLine::addSubcommand);
   * terminal.attach(commandLine);
   * commandLine.setParameterExceptionHandler(new OneSentence());
   * }</pre>
   */
  public static List<CommandLine> all(Terminal terminal) {
    return all(terminal, Connections.ofOneVerb());
  }

  /** The addresses that verbs use by default. */
  public static String defaultAddresses() {
    return ClientVerb.DefaultAddresses.addresses();
  }

  /** Sets the default addresses of a verb. */
  public static void setDefaultAddresses(CommandLine verb, String addresses) {
    verb.setDefaultValueProvider(
        argument ->
            argument.isOption() && ((OptionSpec) argument).longestName().equals(ClientVerb.AT)
                ? addresses
                : argument.defaultValue());
  }

  /** Creates the command lines of all verbs, with clients that the caller closes. */
  public static List<CommandLine> all(Terminal terminal, Connections connections) {
    return VERBS.values().stream()
        .map(verb -> commandLine(verb.apply(terminal, connections)))
        .toList();
  }

  /**
   * Creates the command line of one verb, which is faster than creating all; empty if there is no
   * such verb.
   */
  public static Optional<CommandLine> named(String name, Terminal terminal) {
    return Optional.ofNullable(VERBS.get(name))
        .map(verb -> commandLine(verb.apply(terminal, Connections.ofOneVerb())));
  }

  private static CommandLine commandLine(ClientVerb verb) {
    CommandLine commandLine = new CommandLine(verb);
    // A negative number is not an option.
    return verb instanceof IncrementCommand
        ? commandLine.setUnmatchedOptionsArePositionalParams(true)
        : commandLine;
  }

  private static Map<String, BiFunction<Terminal, Connections, ClientVerb>> verbs() {
    Map<String, BiFunction<Terminal, Connections, ClientVerb>> verbs = new LinkedHashMap<>();
    verbs.put("put", PutCommand::new);
    verbs.put("get", GetCommand::new);
    verbs.put("delete", DeleteCommand::new);
    verbs.put("cas", CompareAndSetCommand::new);
    verbs.put("incr", IncrementCommand::new);
    verbs.put("append", AppendCommand::new);
    verbs.put("getput", GetAndPutCommand::new);
    verbs.put("batch", BatchCommand::new);
    verbs.put("scan", ScanCommand::new);
    verbs.put("count", CountCommand::new);
    verbs.put("status", StatusCommand::new);
    verbs.put("load", LoadCommand::new);
    verbs.put("move-leader", MoveLeaderCommand::new);
    verbs.put("move-replica", MoveReplicaCommand::new);
    return verbs;
  }
}

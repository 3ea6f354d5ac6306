package io.quorate.server.cli;

import io.quorate.server.cli.access.InitSecurityCommand;
import io.quorate.server.cli.access.RoleCommand;
import io.quorate.server.cli.access.UserCommand;
import io.quorate.server.cli.load.LoadCommand;
import io.quorate.server.cli.node.NodeCommand;
import io.quorate.server.cli.placement.PlacementCommand;
import io.quorate.server.cli.region.RegionCommand;
import io.quorate.server.cli.status.StatusCommand;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.ConnectOptions;
import io.quorate.server.cli.verb.Connections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine;

/**
 * Creates the command lines of the client verbs, for programs that add them below their own
 * top-level command.
 */
public final class ClientCommands {
  private static final Map<String, BiFunction<Terminal, Connections, CommandLine>> VERBS = verbs();

  private ClientCommands() {}

  /**
   * Creates the command lines of all verbs that access a cluster.
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
    return ConnectOptions.Defaults.addresses();
  }

  /** Creates the command lines of all verbs, with clients that the caller closes. */
  public static List<CommandLine> all(Terminal terminal, Connections connections) {
    return VERBS.values().stream().map(verb -> verb.apply(terminal, connections)).toList();
  }

  /**
   * Creates the command line of one verb, which is faster than creating all; empty if there is no
   * such verb.
   */
  public static Optional<CommandLine> named(String name, Terminal terminal) {
    return Optional.ofNullable(VERBS.get(name))
        .map(verb -> verb.apply(terminal, Connections.ofOneVerb()));
  }

  private static Map<String, BiFunction<Terminal, Connections, CommandLine>> verbs() {
    Map<String, BiFunction<Terminal, Connections, CommandLine>> verbs = new LinkedHashMap<>();
    verbs.put("put", single(PutCommand::new));
    verbs.put("get", single(GetCommand::new));
    verbs.put("delete", single(DeleteCommand::new));
    verbs.put("cas", single(CompareAndSetCommand::new));
    verbs.put(
        "incr",
        // A negative number is not an option.
        (terminal, connections) ->
            new CommandLine(new IncrementCommand(terminal, connections))
                .setUnmatchedOptionsArePositionalParams(true));
    verbs.put("append", single(AppendCommand::new));
    verbs.put("getput", single(GetAndPutCommand::new));
    verbs.put("batch", single(BatchCommand::new));
    verbs.put("scan", single(ScanCommand::new));
    verbs.put("count", single(CountCommand::new));
    verbs.put("status", single(StatusCommand::new));
    verbs.put("verify", single(VerifyCommand::new));
    verbs.put("load", single(LoadCommand::new));
    verbs.put("node", NodeCommand::commandLine);
    verbs.put("region", RegionCommand::commandLine);
    verbs.put("user", UserCommand::commandLine);
    verbs.put("role", RoleCommand::commandLine);
    verbs.put("init-security", single(InitSecurityCommand::new));
    verbs.put("placement", single(PlacementCommand::new));
    verbs.put("move-leader", single(MoveLeaderCommand::new));
    verbs.put("move-replica", single(MoveReplicaCommand::new));
    return verbs;
  }

  private static BiFunction<Terminal, Connections, CommandLine> single(
      BiFunction<Terminal, Connections, ClientVerb> verb) {
    return (terminal, connections) -> new CommandLine(verb.apply(terminal, connections));
  }
}

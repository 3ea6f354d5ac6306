package io.quorate.client.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The client's verbs, for a program that puts them under its own top-level command. */
public final class ClientCommands {
  private ClientCommands() {}

  /**
   * The verbs put, get, delete, cas, incr, append, getput, scan, count, status and load.
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

  /** The addresses that verbs use where none are given. */
  public static String defaultAddresses() {
    return ClientVerb.DefaultAddresses.addresses();
  }

  /** Makes a verb use other addresses where it is given none. */
  public static void setDefaultAddresses(CommandLine verb, String addresses) {
    verb.setDefaultValueProvider(
        argument ->
            argument.isOption() && ((OptionSpec) argument).longestName().equals(ClientVerb.AT)
                ? addresses
                : argument.defaultValue());
  }

  /** The same, with clients that the caller closes. */
  public static List<CommandLine> all(Terminal terminal, Connections connections) {
    return List.of(
        new CommandLine(new PutCommand(terminal, connections)),
        new CommandLine(new GetCommand(terminal, connections)),
        new CommandLine(new DeleteCommand(terminal, connections)),
        new CommandLine(new CompareAndSetCommand(terminal, connections)),
        // A negative number is not an option.
        new CommandLine(new IncrementCommand(terminal, connections))
            .setUnmatchedOptionsArePositionalParams(true),
        new CommandLine(new AppendCommand(terminal, connections)),
        new CommandLine(new GetAndPutCommand(terminal, connections)),
        new CommandLine(new ScanCommand(terminal, connections)),
        new CommandLine(new CountCommand(terminal, connections)),
        new CommandLine(new StatusCommand(terminal, connections)),
        new CommandLine(new LoadCommand(terminal, connections)));
  }
}

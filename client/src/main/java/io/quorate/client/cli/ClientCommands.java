package io.quorate.client.cli;

import java.util.List;
import picocli.CommandLine;

/** The client's verbs, for a program that puts them under its own top-level command. */
public final class ClientCommands {
  private ClientCommands() {}

  /**
   * The verbs put, get, delete, cas, incr, scan, status and load.
   *
   * <pre>{@code
   * Terminal terminal = Terminal.standard();
   * ClientCommands.all(terminal).forEach(commandLine::addSubcommand);
   * terminal.attach(commandLine);
   * commandLine.setParameterExceptionHandler(new OneSentence());
   * }</pre>
   */
  public static List<CommandLine> all(Terminal terminal) {
    return List.of(
        new CommandLine(new PutCommand(terminal)),
        new CommandLine(new GetCommand(terminal)),
        new CommandLine(new DeleteCommand(terminal)),
        new CommandLine(new CompareAndSetCommand(terminal)),
        // A negative number is not an option.
        new CommandLine(new IncrementCommand(terminal))
            .setUnmatchedOptionsArePositionalParams(true),
        new CommandLine(new ScanCommand(terminal)),
        new CommandLine(new StatusCommand(terminal)),
        new CommandLine(new LoadCommand(terminal)));
  }
}

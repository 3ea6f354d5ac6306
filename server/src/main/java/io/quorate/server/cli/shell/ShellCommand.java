package io.quorate.server.cli.shell;

import io.quorate.server.cli.ClientCommands;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.OneSentence;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ConnectOptions;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.KeySuggestions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jline.reader.EOFError;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Parser;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.TerminalBuilder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code shell}: executes verbs one after the other on one connection. */
@Command(
    name = "shell",
    mixinStandardHelpOptions = true,
    defaultValueProvider = ConnectOptions.Defaults.class,
    description = {
      "Execute verbs one after the other on one connection, from a terminal or a pipe.",
      "A line is a verb and its arguments; quotes and backslashes are those of a shell, and a line"
          + " that begins with # is passed over. From a pipe the first verb that fails ends it, with"
          + " its exit code; a key that is missing is no failure."
    })
public final class ShellCommand implements Callable<Integer> {
  static final Set<String> ENDS = Set.of("exit", "quit");
  private static final String PROMPT = "quorate> ";

  private final Terminal terminal;
  private final Parser parser = parser();

  @Mixin private ConnectOptions cluster;

  /** Creates a parser for which an open quote in a terminal continues on the next line. */
  private static Parser parser() {
    DefaultParser parser = new DefaultParser();
    parser.setEofOnUnclosedQuote(true);
    parser.setEofOnEscapedNewLine(true);
    return parser;
  }

  public ShellCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** The parent command of the verbs; the parser never executes it. */
  @Command(name = "", synopsisSubcommandLabel = "VERB")
  private static final class Verbs implements Runnable {
    @Override
    public void run() {
      throw new IllegalStateException("A line without a verb was executed.");
    }
  }

  @Override
  public Integer call() throws IOException {
    try (Connections connections = Connections.shared()) {
      KeySuggestions keys;
      try {
        keys = new KeySuggestions(connections, cluster);
      } catch (IllegalArgumentException e) {
        terminal.err().println(e.getMessage());
        return ExitCode.USAGE.code();
      }
      CommandLine verbs = verbs(connections);
      return terminal.isInteractive()
          ? executeTypedLines(verbs, keys)
          : executeLines(verbs, new InputStreamReader(terminal.in(), StandardCharsets.UTF_8));
    }
  }

  private CommandLine verbs(Connections connections) {
    // Standard input contains the lines, so no verb may read it.
    Terminal withoutInput =
        new Terminal(
            InputStream.nullInputStream(),
            terminal.out(),
            terminal.err(),
            terminal.isInteractive());
    CommandLine verbs = new CommandLine(new Verbs());
    for (CommandLine verb : ClientCommands.all(withoutInput, connections)) {
      cluster.setDefaults(verb);
      verbs.addSubcommand(verb);
    }
    verbs.addSubcommand(new CommandLine.HelpCommand());
    withoutInput.attach(verbs);
    verbs.setParameterExceptionHandler(
        (failure, arguments) -> {
          terminal.err().println(OneSentence.of(failure));
          return ExitCode.USAGE.code();
        });
    return verbs;
  }

  /** Executes the lines of a file or a program. */
  private int executeLines(CommandLine verbs, InputStreamReader input) throws IOException {
    BufferedReader lines = new BufferedReader(input);
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      int code = execute(verbs, line);
      if (code > ExitCode.NOT_MET.code()) {
        terminal.err().println("Line " + number + " failed, and ends this shell.");
        return code;
      }
    }
    return ExitCode.OK.code();
  }

  private int execute(CommandLine verbs, String line) {
    if (line.isBlank() || line.startsWith("#")) {
      return ExitCode.OK.code();
    }
    List<String> words;
    try {
      words = parser.parse(line, line.length(), Parser.ParseContext.ACCEPT_LINE).words();
    } catch (EOFError e) {
      terminal.err().println("A quote is opened and not closed, or a backslash is the last one.");
      return ExitCode.USAGE.code();
    }
    return verbs.execute(words.toArray(String[]::new));
  }

  /** Executes the lines that a user types. */
  private int executeTypedLines(CommandLine verbs, KeySuggestions keys) throws IOException {
    try (org.jline.terminal.Terminal screen = TerminalBuilder.builder().system(true).build()) {
      LineReader reader =
          LineReaderBuilder.builder()
              .terminal(screen)
              .appName("quorate")
              .parser(parser)
              .completer(new VerbsAndKeys(verbs.getSubcommands(), keys))
              .variable(LineReader.HISTORY_FILE, history())
              .build();
      for (Optional<String> line = next(reader); line.isPresent(); line = next(reader)) {
        execute(verbs, line.get());
      }
      return ExitCode.OK.code();
    }
  }

  /** Reads the next line; empty at the end. */
  private static Optional<String> next(LineReader reader) {
    while (true) {
      try {
        String line = reader.readLine(PROMPT).strip();
        return ENDS.contains(line) ? Optional.empty() : Optional.of(line);
      } catch (UserInterruptException e) {
        // Ctrl-C discards the line, as in other shells.
        continue;
      } catch (EndOfFileException e) {
        return Optional.empty();
      }
    }
  }

  private static Path history() {
    return Path.of(System.getProperty("user.home"), ".quorate", "history");
  }
}

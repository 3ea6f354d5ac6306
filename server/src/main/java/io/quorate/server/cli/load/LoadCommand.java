package io.quorate.server.cli.load;

import io.quorate.client.QuorateClient;
import io.quorate.common.ShutdownHook;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets many keys from a file. */
@Command(
    name = "load",
    description = {
      "Set many keys from a file with a key, a tab and a value in each line, as scan prints them.",
      "\\xNN is a byte, two backslashes are one, and no other escape is taken. Lines end with a "
          + "line feed; a carriage return before it is refused.",
      "Many lines are on their way at once; of lines with the same key the last one wins. "
          + "The first line that is malformed or fails ends the load, which is then done in part; "
          + "loading the same file again is safe."
    })
public final class LoadCommand extends ClientVerb {
  @Parameters(index = "0", paramLabel = "FILE", description = "- reads standard input.")
  private String file;

  @Option(
      names = "--hex",
      description = "Keys and values in FILE are hexadecimal digits, as scan --hex prints them.")
  private boolean hex;

  public LoadCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected boolean isOneRequest() {
    return false;
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    if (file.equals("-")) {
      return load(client, terminal().in(), OptionalLong.empty());
    }
    Path path = path();
    if (Files.isDirectory(path)) {
      throw new IOException("The file " + file + " is a directory.");
    }
    try (InputStream in = Files.newInputStream(path)) {
      return load(client, in, OptionalLong.of(Files.size(path)));
    } catch (NoSuchFileException e) {
      throw new IOException("There is no file " + file + ".", e);
    } catch (AccessDeniedException e) {
      throw new IOException("The file " + file + " may not be read.", e);
    }
  }

  private Path path() throws IOException {
    try {
      return Path.of(file);
    } catch (InvalidPathException e) {
      // Where the locale cannot represent the name, the JVM cannot open the file.
      throw new IOException(
          "The name of the file cannot be decoded; set LC_ALL=C.UTF-8, or give the file on standard"
              + " input.",
          e);
    }
  }

  private ExitCode load(QuorateClient client, InputStream in, OptionalLong size)
      throws IOException {
    Load.Report report;
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      Load load = new Load(client.async(), new LineReader(in, Notation.of(hex)), size, progress);
      ShutdownHook onSignal =
          new ShutdownHook("load-interrupted", () -> printError("\n" + load.interruptionMessage()));
      onSignal.register();
      try {
        report = load.run();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(load.interruptionMessage(), e);
      } finally {
        onSignal.close();
      }
    }
    terminal().out().println(report.summary());
    report.problem().ifPresent(this::printError);
    return report.exitCode();
  }
}

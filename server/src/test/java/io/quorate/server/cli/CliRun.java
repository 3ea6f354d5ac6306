package io.quorate.server.cli;

import io.quorate.server.cli.terminal.OneSentence;
import io.quorate.server.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The output and the exit code of one run of the command line.
 *
 * @param raw the bytes of standard output
 */
public record CliRun(int exitCode, byte[] raw, String err) {
  @Command(name = "quorate")
  static final class Top implements Runnable {
    @Override
    public void run() {
      throw new IllegalStateException("a verb was expected");
    }
  }

  /** Runs a verb with empty standard input. */
  public static CliRun of(String... arguments) {
    return withInput(new byte[0], arguments);
  }

  public static CliRun withInput(byte[] input, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream errStream = new PrintStream(err, true, StandardCharsets.UTF_8);
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(input),
            new PrintStream(out, false, StandardCharsets.UTF_8),
            errStream,
            false);
    CommandLine commands = new CommandLine(new Top());
    ClientCommands.all(terminal).forEach(commands::addSubcommand);
    commands.setParameterExceptionHandler(new OneSentence());
    terminal.attach(commands);
    int exitCode = commands.execute(arguments);
    return new CliRun(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }

  public String out() {
    return new String(raw, StandardCharsets.UTF_8);
  }
}

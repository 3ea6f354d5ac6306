package io.quorate.server.cli.terminal;

import java.io.BufferedOutputStream;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/**
 * The input and output of a verb: bytes, and text in UTF-8 regardless of the locale.
 *
 * @param out for results; a writer flushes it at the end
 * @param err for messages to the user
 * @param isInteractive whether {@code err} is a terminal, so that a line may be overwritten
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean isInteractive) {

  /** The streams of this process. */
  public static Terminal standard() {
    // Not System.out, which flushes after every line, nor System.err: depending on the locale, both
    // may write a question mark for a character that is not ASCII.
    OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    return new Terminal(
        System.in,
        new PrintStream(out, false, StandardCharsets.UTF_8),
        new PrintStream(
            new FileOutputStream(FileDescriptor.err),
            /* autoFlush= */ true,
            StandardCharsets.UTF_8),
        processIsInteractive());
  }

  /**
   * Directs the output of a command line and its subcommands to these streams, and makes it take
   * each argument literally: an argument that begins with an at sign is not replaced by a file.
   * Options before the name of a subcommand count for the subcommand.
   */
  public void attach(CommandLine commands) {
    commands.setOut(new PrintWriter(out, /* autoFlush= */ true, StandardCharsets.UTF_8));
    commands.setErr(new PrintWriter(err, /* autoFlush= */ true, StandardCharsets.UTF_8));
    commands.setExpandAtFiles(false);
    commands.setExecutionStrategy(new InheritedOptions());
  }

  private static boolean processIsInteractive() {
    Console console = System.console();
    if (console == null || "dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    // From Java 22 on there is always a console, which reports whether it is a terminal.
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException e) {
      return false;
    }
  }
}

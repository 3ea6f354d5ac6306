package io.quorate.client.cli;

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
 * Where a verb reads and writes: bytes, and text as UTF-8, whatever the locale is.
 *
 * @param out for what was asked for; whoever writes to it flushes it at the end
 * @param err for what a person wants to know
 * @param isInteractive whether a person watches {@code err}, so that a line may be overwritten
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean isInteractive) {

  /** The streams of this process. */
  public static Terminal standard() {
    // Not System.out, which writes every line by itself, nor System.err: by the locale, these may
    // write a question mark for what is not ASCII.
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
   * Makes a command line and its subcommands write to these streams, and take each argument as it
   * is: no file replaces one that begins with an at sign.
   */
  public void attach(CommandLine commands) {
    commands.setOut(new PrintWriter(out, /* autoFlush= */ true, StandardCharsets.UTF_8));
    commands.setErr(new PrintWriter(err, /* autoFlush= */ true, StandardCharsets.UTF_8));
    commands.setExpandAtFiles(false);
  }

  private static boolean processIsInteractive() {
    Console console = System.console();
    if (console == null || "dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    // From Java 22 on there is always a console, and it says itself whether it is a terminal.
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException e) {
      return false;
    }
  }
}

package io.quorate.client.cli;

import java.io.BufferedOutputStream;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;

/**
 * Where a verb reads and writes.
 *
 * @param out for what was asked for; whoever writes to it flushes it at the end
 * @param err for what a person wants to know
 * @param isInteractive whether a person watches {@code err}, so that a line may be overwritten
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean isInteractive) {

  /** The streams of this process. */
  public static Terminal standard() {
    // Not System.out, which writes every line by itself, and perhaps not in UTF-8.
    OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    return new Terminal(
        System.in,
        new PrintStream(out, false, StandardCharsets.UTF_8),
        System.err,
        processIsInteractive());
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

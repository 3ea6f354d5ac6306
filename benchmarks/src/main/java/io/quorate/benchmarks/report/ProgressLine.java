package io.quorate.benchmarks.report;

import java.io.PrintStream;

/**
 * A line that tells how far a measurement is, written over itself on a terminal. Elsewhere nothing
 * is written. Safe for any thread.
 */
public final class ProgressLine implements AutoCloseable {
  private static final String START_OF_LINE = "\r";
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final PrintStream terminal;
  private final boolean live;

  ProgressLine(PrintStream terminal, boolean live) {
    this.terminal = terminal;
    this.live = live;
  }

  /** On standard error, if this program runs in a terminal. */
  public static ProgressLine onTerminal() {
    return new ProgressLine(System.err, System.console() != null);
  }

  /** Puts this text in the place of what stood there. */
  public synchronized void show(String text) {
    if (live) {
      terminal.print(CLEAR_LINE + text + START_OF_LINE);
      terminal.flush();
    }
  }

  /** Clears the line. */
  @Override
  public synchronized void close() {
    show("");
  }
}

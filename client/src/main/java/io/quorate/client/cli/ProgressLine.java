package io.quorate.client.cli;

import java.io.PrintStream;
import java.util.function.Supplier;

/**
 * One line at the bottom of a terminal that says how far something has come. Where there is no
 * terminal it writes nothing. For use by one thread.
 */
public final class ProgressLine implements AutoCloseable {
  private static final long INTERVAL_NANOS = 100_000_000;
  private static final String ERASE_TO_END_OF_LINE = "\u001b[K";

  private final PrintStream to;
  private final boolean isLive;
  private long lastShownNanos = System.nanoTime() - INTERVAL_NANOS;
  private boolean isShown;

  /**
   * @param to usually standard error, so that the line does not get into what is piped on
   * @param isLive whether {@code to} is a terminal that a person watches
   */
  public ProgressLine(PrintStream to, boolean isLive) {
    this.to = to;
    this.isLive = isLive;
  }

  /** A line on the standard error of this process, live if that is a terminal. */
  public static ProgressLine onStandardError() {
    Terminal terminal = Terminal.standard();
    return new ProgressLine(terminal.err(), terminal.isInteractive());
  }

  /**
   * Replaces the line, ten times a second at most.
   *
   * @param text called only if its result is shown; shorter than the terminal is wide
   */
  public void show(Supplier<String> text) {
    long now = System.nanoTime();
    if (isLive && now - lastShownNanos >= INTERVAL_NANOS) {
      lastShownNanos = now;
      isShown = true;
      to.print('\r' + text.get() + ERASE_TO_END_OF_LINE);
      to.flush();
    }
  }

  /** Removes the line, so that what is written next starts in an empty one. */
  @Override
  public void close() {
    if (isShown) {
      isShown = false;
      to.print('\r' + ERASE_TO_END_OF_LINE);
      to.flush();
    }
  }

  /**
   * A bar such as {@code [####------] 40%}.
   *
   * @param part of the whole, from 0 to 1; what is beyond counts as the nearest of them
   * @param width of the bar between its brackets, in characters
   */
  public static String bar(double part, int width) {
    double clamped = Math.min(1, Math.max(0, part));
    int filled = (int) (clamped * width);
    return String.format(
        "[%s%s] %3d%%", "#".repeat(filled), "-".repeat(width - filled), (int) (clamped * 100));
  }
}

package io.quorate.server.cli.terminal;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The progress of a command: a line at the bottom of a terminal that is replaced, or, where there
 * is no terminal, a line every ten seconds, so that a log shows that the command goes on. Not
 * thread-safe.
 */
public final class ProgressLine implements AutoCloseable {
  private static final long REPLACED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long REPEATED_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String ERASE_TO_END_OF_LINE = "\u001b[K";

  private final PrintStream to;
  private final boolean isLive;
  private final LongSupplier nanoClock;
  private long lastShownNanos;
  private boolean isShown;

  /**
   * @param to usually standard error, so that the line does not mix with piped output
   * @param isLive whether {@code to} is an interactive terminal
   */
  public ProgressLine(PrintStream to, boolean isLive) {
    this(to, isLive, System::nanoTime);
  }

  ProgressLine(PrintStream to, boolean isLive, LongSupplier nanoClock) {
    this.to = to;
    this.isLive = isLive;
    this.nanoClock = nanoClock;
    // A command that ends soon has nothing to say in a log.
    lastShownNanos = nanoClock.getAsLong() - (isLive ? REPLACED_NANOS : 0);
  }

  /** Creates a progress line on the standard error of this process, live if that is a terminal. */
  public static ProgressLine onStandardError() {
    Terminal terminal = Terminal.standard();
    return new ProgressLine(terminal.err(), terminal.isInteractive());
  }

  /**
   * Replaces the line, at most ten times a second; without a terminal, writes a further line if the
   * last one is ten seconds old.
   *
   * @param text called only if its result is shown; shorter than the width of the terminal
   */
  public void show(Supplier<String> text) {
    long now = nanoClock.getAsLong();
    if (now - lastShownNanos < (isLive ? REPLACED_NANOS : REPEATED_NANOS)) {
      return;
    }
    lastShownNanos = now;
    isShown = isLive;
    to.print(isLive ? '\r' + text.get() + ERASE_TO_END_OF_LINE : text.get() + '\n');
    to.flush();
  }

  /** Erases the line, so that later output starts on an empty line. */
  @Override
  public void close() {
    erase();
  }

  /** Erases the line until it is shown again. */
  public void erase() {
    if (isShown) {
      isShown = false;
      to.print('\r' + ERASE_TO_END_OF_LINE);
      to.flush();
    }
  }

  /**
   * Formats a bar such as {@code [####------] 40%}.
   *
   * @param part completed fraction, clamped to the range from 0 to 1
   * @param width number of characters between the brackets
   */
  public static String bar(double part, int width) {
    double clamped = Math.min(1, Math.max(0, part));
    int filled = (int) (clamped * width);
    return String.format(
        Locale.ROOT,
        "[%s%s] %3d%%",
        "#".repeat(filled),
        "-".repeat(width - filled),
        (int) (clamped * 100));
  }
}

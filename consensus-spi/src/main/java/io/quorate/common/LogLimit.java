package io.quorate.common;

import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Limits the log lines of one kind, where a stranger or a cause that repeats could write any number
 * of them: so many a second, and each line that follows some which were left out says how many. Any
 * thread; never blocks for longer than a few instructions.
 */
public final class LogLimit {
  private static final int LINES_PER_SECOND = 5;
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long MINUTE_NANOS = 60 * SECOND_NANOS;

  private final int linesMax;
  private final long periodNanos;
  private final LongSupplier clock;
  private long periodStart;
  private int lines;
  private long leftOut;

  /** The limit that most kinds of lines have. */
  public LogLimit() {
    this(LINES_PER_SECOND, System::nanoTime);
  }

  /**
   * @param clock in nanoseconds, from any origin
   */
  public LogLimit(int linesPerSecond, LongSupplier clock) {
    this(linesPerSecond, SECOND_NANOS, clock);
  }

  private LogLimit(int linesMax, long periodNanos, LongSupplier clock) {
    this.linesMax = linesMax;
    this.periodNanos = periodNanos;
    this.clock = clock;
    this.periodStart = clock.getAsLong();
  }

  /** One line a minute, for a task of this node that fails again and again. */
  public static LogLimit oneAMinute() {
    return new LogLimit(1, MINUTE_NANOS, System::nanoTime);
  }

  /**
   * Logs a line, or counts it as left out.
   *
   * @param line receives the number of lines that were left out since the last one
   */
  public void log(LongConsumer line) {
    pass().ifPresent(line);
  }

  private synchronized OptionalLong pass() {
    long now = clock.getAsLong();
    if (now - periodStart >= periodNanos) {
      periodStart = now;
      lines = 0;
    }
    if (lines == linesMax) {
      leftOut++;
      return OptionalLong.empty();
    }
    lines++;
    long before = leftOut;
    leftOut = 0;
    return OptionalLong.of(before);
  }

  /** The end of a line: how many of its kind were left out before it, or nothing. */
  public static String text(long leftOut) {
    return leftOut == 0 ? "" : " (" + leftOut + " lines of this kind were left out before)";
  }
}

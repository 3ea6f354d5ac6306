package io.quorate.replication.erasure;

import java.util.function.LongSupplier;

/**
 * Compares two implementations of the same work while the JVM compiles them. Pure: the clock is a
 * parameter.
 */
final class SpeedTrial {
  /** One round can be disturbed by other threads; so many in succession are not. */
  static final int WINS = 16;

  private SpeedTrial() {}

  /**
   * Runs both in turn, until the candidate was faster in {@link #WINS} successive rounds or the
   * rounds are used up.
   *
   * @param nanoTime a clock such as {@link System#nanoTime}
   */
  static boolean isFaster(
      Runnable candidate, Runnable baseline, int roundsMax, LongSupplier nanoTime) {
    int wins = 0;
    for (int round = 0; round < roundsMax && wins < WINS; round++) {
      long start = nanoTime.getAsLong();
      baseline.run();
      long middle = nanoTime.getAsLong();
      candidate.run();
      long end = nanoTime.getAsLong();
      wins = end - middle < middle - start ? wins + 1 : 0;
    }
    return wins == WINS;
  }
}

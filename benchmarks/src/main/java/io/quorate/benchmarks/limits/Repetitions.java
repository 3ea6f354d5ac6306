package io.quorate.benchmarks.limits;

import java.io.IOException;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** The durations of an operation that was repeated for some time by one thread. */
final class Repetitions {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int DIGITS = 3;
  private static final double P50 = 50;

  private final Histogram nanos = new Histogram(DIGITS);
  private long allNanos;

  private Repetitions() {}

  /** The repeated operation. */
  @FunctionalInterface
  interface Repeated {
    void run() throws IOException;
  }

  /**
   * Repeats an operation until the time has passed, at least once. Blocks.
   *
   * @throws IOException if the operation fails
   */
  static Repetitions run(Duration time, Repeated operation) throws IOException {
    Repetitions repetitions = new Repetitions();
    long start = System.nanoTime();
    long before = start;
    do {
      operation.run();
      long now = System.nanoTime();
      repetitions.nanos.recordValue(now - before);
      before = now;
    } while (before - start < time.toNanos());
    repetitions.allNanos = Math.max(1, before - start);
    return repetitions;
  }

  long count() {
    return nanos.getTotalCount();
  }

  double perSecond() {
    return count() * NANOS_PER_SECOND / allNanos;
  }

  /** The median duration in milliseconds. */
  double p50Millis() {
    return nanos.getValueAtPercentile(P50) / NANOS_PER_MILLI;
  }
}

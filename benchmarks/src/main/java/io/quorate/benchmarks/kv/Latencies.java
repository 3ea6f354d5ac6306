package io.quorate.benchmarks.kv;

import java.time.Duration;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** How long calls took. Safe for any thread. */
public final class Latencies {
  private static final long HIGHEST_NANOS = Duration.ofMinutes(5).toNanos();
  private static final int DIGITS = 3;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Histogram histogram = new ConcurrentHistogram(HIGHEST_NANOS, DIGITS);

  void record(long nanos) {
    histogram.recordValue(Math.min(Math.max(nanos, 0), HIGHEST_NANOS));
  }

  public long count() {
    return histogram.getTotalCount();
  }

  /**
   * The latency that this share of the calls did not exceed, in milliseconds; 0 if there were none.
   *
   * @param percent above 0, at most 100
   */
  public double millis(double percent) {
    return count() == 0 ? 0 : histogram.getValueAtPercentile(percent) / NANOS_PER_MILLI;
  }
}

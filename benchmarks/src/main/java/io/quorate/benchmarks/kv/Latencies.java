package io.quorate.benchmarks.kv;

import java.time.Duration;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** The latencies of calls. Thread-safe. */
public final class Latencies {
  private static final long NANOS_MAX = Duration.ofMinutes(5).toNanos();
  private static final int DIGITS = 3;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Histogram histogram = new ConcurrentHistogram(NANOS_MAX, DIGITS);

  /** Any thread. */
  public void record(long nanos) {
    histogram.recordValue(Math.min(Math.max(nanos, 0), NANOS_MAX));
  }

  public long count() {
    return histogram.getTotalCount();
  }

  /** The mean latency in milliseconds; 0 if there were no calls. */
  public double meanMillis() {
    // Of a copy: the mean of a histogram fails while another thread records.
    return histogram.copy().getMean() / NANOS_PER_MILLI;
  }

  /**
   * A percentile of the latency, in milliseconds; 0 if there were no calls.
   *
   * @param percent above 0, at most 100
   */
  public double millis(double percent) {
    return count() == 0 ? 0 : histogram.getValueAtPercentile(percent) / NANOS_PER_MILLI;
  }
}

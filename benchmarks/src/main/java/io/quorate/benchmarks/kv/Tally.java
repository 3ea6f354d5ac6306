package io.quorate.benchmarks.kv;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** What was seen of one workload, over all its slices. Safe for any thread. */
final class Tally {
  private static final long HIGHEST_NANOS = Duration.ofMinutes(5).toNanos();
  private static final int DIGITS = 3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Histogram latencies = new ConcurrentHistogram(HIGHEST_NANOS, DIGITS);
  private final LongAdder errors = new LongAdder();
  private final AtomicLong measuredNanos = new AtomicLong();
  private final AtomicReference<Throwable> firstError = new AtomicReference<>();

  void answered(long nanos) {
    latencies.recordValue(Math.min(Math.max(nanos, 0), HIGHEST_NANOS));
  }

  void failed(Throwable cause) {
    errors.increment();
    firstError.compareAndSet(null, cause);
  }

  /** Adds the time over which calls were counted. */
  void measured(long nanos) {
    measuredNanos.addAndGet(nanos);
  }

  long answers() {
    return latencies.getTotalCount();
  }

  long errors() {
    return errors.sum();
  }

  Optional<Throwable> firstError() {
    return Optional.ofNullable(firstError.get());
  }

  /** Calls answered in a second; 0 before anything was measured. */
  double throughput() {
    long nanos = measuredNanos.get();
    return nanos == 0 ? 0 : answers() * NANOS_PER_SECOND / nanos;
  }

  /**
   * The latency that this share of the calls did not exceed, in milliseconds; 0 if there were none.
   *
   * @param percent above 0, at most 100
   */
  double latencyMillis(double percent) {
    return answers() == 0 ? 0 : latencies.getValueAtPercentile(percent) / NANOS_PER_MILLI;
  }
}

package io.quorate.server.rpc.request;

import io.quorate.protocol.wire.v1.Latency;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts times in buckets that grow by at most a quarter, from one microsecond to about a minute;
 * longer times are in the last bucket. Any thread. Takes a few KiB, and a record is one addition to
 * a counter that threads do not contend for.
 */
final class LatencyHistogram {
  private static final int BITS_PER_OCTAVE = 2;
  private static final int PER_OCTAVE = 1 << BITS_PER_OCTAVE;

  /** Up to 2^26 microseconds. */
  private static final int BUCKETS = 25 * PER_OCTAVE;

  private static final double P99 = 0.99;

  private final LongAdder[] buckets = new LongAdder[BUCKETS];

  LatencyHistogram() {
    for (int i = 0; i < BUCKETS; i++) {
      buckets[i] = new LongAdder();
    }
  }

  void record(long nanos) {
    buckets[bucket(TimeUnit.NANOSECONDS.toMicros(nanos))].increment();
  }

  /** The number of times in each bucket since the start. */
  long[] counts() {
    long[] counts = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] = buckets[i].sum();
    }
    return counts;
  }

  /**
   * The mean and the 99th percentile, both within about a tenth; empty if nothing was counted.
   *
   * @param counts of the buckets
   */
  static Optional<Latency> latency(long[] counts) {
    long total = 0;
    double sum = 0;
    for (int i = 0; i < counts.length; i++) {
      total += counts[i];
      sum += counts[i] * middle(i);
    }
    return total == 0
        ? Optional.empty()
        : Optional.of(
            Latency.newBuilder()
                .setMeanMicros(Math.round(sum / total))
                .setP99Micros(Math.round(percentile(counts, total)))
                .build());
  }

  private static double percentile(long[] counts, long total) {
    long rest = (long) Math.ceil(P99 * total);
    int i = 0;
    while (rest > counts[i]) {
      rest -= counts[i];
      i++;
    }
    return middle(i);
  }

  static int bucket(long micros) {
    if (micros < PER_OCTAVE) {
      return (int) Math.max(0, micros);
    }
    int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros);
    int part = (int) (micros >>> (octave - BITS_PER_OCTAVE)) - PER_OCTAVE;
    return Math.min(BUCKETS - 1, (octave - BITS_PER_OCTAVE + 1) * PER_OCTAVE + part);
  }

  /** The middle of a bucket, in microseconds. */
  static double middle(int bucket) {
    if (bucket < PER_OCTAVE) {
      return bucket + 0.5;
    }
    int shift = bucket / PER_OCTAVE - 1;
    return (PER_OCTAVE + bucket % PER_OCTAVE + 0.5) * (1L << shift);
  }
}

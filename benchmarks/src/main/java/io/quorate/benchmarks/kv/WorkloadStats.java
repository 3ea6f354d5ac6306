package io.quorate.benchmarks.kv;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** The statistics of one workload over all its slices. Thread-safe. */
public final class WorkloadStats {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Latencies all = new Latencies();
  private final Latencies reads = new Latencies();
  private final Latencies writes = new Latencies();
  private final Latencies scans = new Latencies();
  private final LongAdder errors = new LongAdder();
  private final AtomicLong measuredNanos = new AtomicLong();
  private final AtomicReference<Throwable> firstError = new AtomicReference<>();

  void read(long nanos) {
    all.record(nanos);
    reads.record(nanos);
  }

  void wrote(long nanos) {
    all.record(nanos);
    writes.record(nanos);
  }

  void scanned(long nanos) {
    all.record(nanos);
    scans.record(nanos);
  }

  /** Records a read and a subsequent write as one call. */
  void readAndWrote(long readNanos, long writeNanos) {
    all.record(readNanos + writeNanos);
    reads.record(readNanos);
    writes.record(writeNanos);
  }

  void failed(Throwable cause) {
    errors.increment();
    firstError.compareAndSet(null, cause);
  }

  /** Adds to the time in which calls were counted. */
  void measured(long nanos) {
    measuredNanos.addAndGet(nanos);
  }

  /** The latencies of all calls. */
  public Latencies all() {
    return all;
  }

  /** The latencies of reads of single keys. */
  public Latencies reads() {
    return reads;
  }

  public Latencies writes() {
    return writes;
  }

  public Latencies scans() {
    return scans;
  }

  /** Whether a call of every kind in the mix was counted. */
  boolean hasAllOf(Mix mix) {
    return mix.shares().keySet().stream().allMatch(this::has);
  }

  private boolean has(CallKind kind) {
    return switch (kind) {
      case GET, READ_MODIFY_WRITE -> reads.count() > 0;
      case SCAN -> scans.count() > 0;
      case PUT, INSERT, DELETE -> writes.count() > 0;
    };
  }

  public long errors() {
    return errors.sum();
  }

  public Optional<Throwable> firstError() {
    return Optional.ofNullable(firstError.get());
  }

  /** Completed calls per second; 0 before any measurement. */
  public double throughput() {
    long nanos = measuredNanos.get();
    return nanos == 0 ? 0 : all.count() * NANOS_PER_SECOND / nanos;
  }
}

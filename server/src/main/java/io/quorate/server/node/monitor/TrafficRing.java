package io.quorate.server.node.monitor;

import io.quorate.protocol.wire.v1.TrafficSample;
import io.quorate.server.rpc.request.TrafficCounters;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The requests of clients in the last {@link #SAMPLES_MAX} times {@link #INTERVAL_NANOS}. Run each
 * second by one thread; read by any. Does not block.
 */
public final class TrafficRing implements Runnable {
  static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Five minutes, which take about 10 KiB. */
  static final int SAMPLES_MAX = 60;

  private final TrafficCounters counters;
  private final LongSupplier nanoTime;
  private final Deque<Sample> samples = new ArrayDeque<>(SAMPLES_MAX);
  private TrafficCounters.Snapshot latest;
  private long latestNanos;
  private long nextNanos;

  private record Sample(long endNanos, TrafficSample traffic) {}

  public TrafficRing(TrafficCounters counters, LongSupplier nanoTime) {
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.latest = counters.snapshot();
    this.latestNanos = nanoTime.getAsLong();
    this.nextNanos = latestNanos + INTERVAL_NANOS;
  }

  @Override
  public void run() {
    long now = nanoTime.getAsLong();
    if (now - nextNanos < 0) {
      return;
    }
    TrafficCounters.Snapshot snapshot = counters.snapshot();
    TrafficSample traffic =
        snapshot.since(latest).toBuilder().setSpanMs(millis(now - latestNanos)).build();
    latest = snapshot;
    latestNanos = now;
    // In steps from the start, so that samples cover the interval on average; not those missed.
    nextNanos += INTERVAL_NANOS;
    if (nextNanos - now <= 0) {
      nextNanos = now + INTERVAL_NANOS;
    }
    synchronized (samples) {
      if (samples.size() == SAMPLES_MAX) {
        samples.removeFirst();
      }
      samples.addLast(new Sample(now, traffic));
    }
  }

  /** The samples with their ages as of now, the oldest first. */
  public List<TrafficSample> samples() {
    long now = nanoTime.getAsLong();
    synchronized (samples) {
      return samples.stream()
          .map(sample -> sample.traffic().toBuilder().setAgeMs(millis(now - sample.endNanos())))
          .map(TrafficSample.Builder::build)
          .toList();
    }
  }

  private static int millis(long nanos) {
    return (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos));
  }
}

package io.quorate.benchmarks.kv;

import java.util.concurrent.atomic.LongAdder;

/** What was measured in an open loop. Thread-safe. */
public final class OpenLoopStats {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double PERCENT = 100;

  private final WorkloadStats calls = new WorkloadStats();
  private final Latencies delays = new Latencies();
  private final LongAdder offered = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final long nanos;

  /**
   * @param nanos the measured time
   */
  OpenLoopStats(long nanos) {
    this.nanos = nanos;
  }

  /** Counts a call that was due in the measured time. */
  void offered() {
    offered.increment();
  }

  /** Counts a call that was due in the measured time and not sent. */
  void dropped() {
    dropped.increment();
  }

  /** Records how long after its intended start a call was sent. */
  void sentAfter(long delayNanos) {
    delays.record(delayNanos);
  }

  /** Counts a call that completed in the measured time, whenever it was sent. */
  void completed() {
    completed.increment();
  }

  /**
   * The latencies and errors of the calls that were due in the measured time, from their intended
   * start; without those that were dropped.
   */
  public WorkloadStats calls() {
    return calls;
  }

  /** How long after their intended start calls were sent: the part of the clients in latencies. */
  public Latencies delays() {
    return delays;
  }

  /** Calls per second that were due. */
  public double offeredRate() {
    return perSecond(offered);
  }

  /** Calls per second that completed. */
  public double throughput() {
    return perSecond(completed);
  }

  /** The part of the calls that was not sent, because too many were in flight. */
  public double droppedPercent() {
    return offered.sum() == 0 ? 0 : PERCENT * dropped.sum() / offered.sum();
  }

  private double perSecond(LongAdder count) {
    return count.sum() * NANOS_PER_SECOND / nanos;
  }
}

package io.quorate.replication.proposals;

import java.util.concurrent.TimeUnit;

/**
 * How fast a queue drains, measured since it was last empty: what it did before says little, and a
 * queue that becomes empty needs no bound. Pure; not thread-safe.
 */
final class DrainRate {
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The weight of a new period. */
  private static final double WEIGHT = 0.25;

  private long periodStart;

  /** In this period. */
  private long drained;

  /** 0 if unknown. */
  private double costPerNano;

  /** The queue is no longer empty. */
  void begin(long nowNanos) {
    periodStart = nowNanos;
    drained = 0;
    costPerNano = 0;
  }

  void drained(long cost, long nowNanos) {
    drained += cost;
    long passed = nowNanos - periodStart;
    if (passed < PERIOD_NANOS) {
      return;
    }
    double now = (double) drained / passed;
    costPerNano = costPerNano == 0 ? now : costPerNano + WEIGHT * (now - costPerNano);
    periodStart = nowNanos;
    drained = 0;
  }

  /** How long it takes until this much has left the queue; 0 as long as nothing is known. */
  long nanosFor(long cost) {
    return costPerNano == 0 ? 0 : (long) (cost / costPerNano);
  }

  /** How long nothing has left the queue, at least. */
  long stalledNanos(long nowNanos) {
    return drained == 0 ? nowNanos - periodStart : 0;
  }
}

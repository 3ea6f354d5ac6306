package io.quorate.ratis.health;

import java.time.Duration;

/**
 * Detects work that waits for a disk without progress: a queue that is not empty and whose head
 * does not advance for a while is stalled, however much it advanced before.
 *
 * <p>Progress is checked in ticks. A tick counts for no more than a few tick intervals, so that a
 * pause of the whole process, in which no tick runs either, does not count as a stall of the disk.
 * Pure: time is a parameter. Not thread-safe.
 */
final class StallWatch {
  /** Work that has waited for the stall timeout divided by this is slow. */
  private static final int SLOW_DIVISOR = 4;

  /** The maximum number of tick intervals that one tick counts for. */
  private static final int TICK_INTERVALS_MAX = 4;

  private final long stallTimeoutNanos;
  private final long tickNanosMax;

  private boolean began;
  private long lastTickNanos;
  private long lastProgress;

  /** How long work has waited without progress. */
  private long outstandingNanos;

  /**
   * The time since the last stall ended, up to the stall timeout; initially as if there had been
   * none.
   */
  private long healthyNanos;

  /**
   * @param stallTimeout after how long without progress work counts as stalled
   * @param tick the interval between calls of {@link #tick}
   */
  StallWatch(Duration stallTimeout, Duration tick) {
    this.stallTimeoutNanos = stallTimeout.toNanos();
    this.tickNanosMax = TICK_INTERVALS_MAX * tick.toNanos();
    this.healthyNanos = stallTimeoutNanos;
  }

  /**
   * Checks the progress.
   *
   * @param nowNanos as {@link System#nanoTime}
   * @param isWaiting whether there is work that is not done
   * @param progress a number that changes whenever some of the work is done
   */
  void tick(long nowNanos, boolean isWaiting, long progress) {
    long passed = began ? Math.min(Math.max(nowNanos - lastTickNanos, 0), tickNanosMax) : 0;
    boolean isStuck = began && isWaiting && progress == lastProgress;
    outstandingNanos = isStuck ? outstandingNanos + passed : 0;
    healthyNanos = isStalled() ? 0 : Math.min(healthyNanos + passed, stallTimeoutNanos);
    began = true;
    lastTickNanos = nowNanos;
    lastProgress = progress;
  }

  /** Whether work has waited for a part of the stall timeout. */
  boolean isSlow() {
    return outstandingNanos >= stallTimeoutNanos / SLOW_DIVISOR;
  }

  /** Whether work has waited for the whole stall timeout. */
  boolean isStalled() {
    return outstandingNanos >= stallTimeoutNanos;
  }

  /** Whether nothing has been stalled for the length of the stall timeout. */
  boolean isHealthy() {
    return healthyNanos >= stallTimeoutNanos;
  }
}

package io.quorate.ratis.health;

import java.time.Duration;

/**
 * Whether work that waits for a disk makes progress: a queue that is not empty and whose front does
 * not move is stalled after a while, however much it moved before.
 *
 * <p>It is looked at in ticks. A tick counts for no more than a few of the usual ones, so that a
 * pause of the whole process, which lets no tick through either, is not taken for a stall of the
 * disk. Pure: time comes in as a number. Not thread-safe.
 */
final class StallWatch {
  /** What part of the patience is enough to be slow. */
  private static final int SLOW_DIVISOR = 4;

  private static final int TICKS_AT_ONCE = 4;

  private final long patienceNanos;
  private final long tickNanosMost;

  private boolean began;
  private long lastTickNanos;
  private long lastProgress;

  /** How long work has waited without progress. */
  private long outstandingNanos;

  /** How long ago the last stall ended; starts as if there had never been one. */
  private long soundNanos;

  /**
   * @param patience after how long without progress work counts as stalled
   * @param tick how often {@link #tick} is to be called
   */
  StallWatch(Duration patience, Duration tick) {
    this.patienceNanos = patience.toNanos();
    this.tickNanosMost = TICKS_AT_ONCE * tick.toNanos();
    this.soundNanos = patienceNanos;
  }

  /**
   * Looks.
   *
   * @param nowNanos as {@link System#nanoTime}
   * @param isWaiting whether there is work that is not done
   * @param progress any number that changes whenever some of it is
   */
  void tick(long nowNanos, boolean isWaiting, long progress) {
    long passed = began ? Math.min(Math.max(nowNanos - lastTickNanos, 0), tickNanosMost) : 0;
    boolean isStuck = began && isWaiting && progress == lastProgress;
    outstandingNanos = isStuck ? outstandingNanos + passed : 0;
    soundNanos = isStalled() ? 0 : Math.min(soundNanos + passed, patienceNanos);
    began = true;
    lastTickNanos = nowNanos;
    lastProgress = progress;
  }

  /** Whether work has waited for a part of the patience. */
  boolean isSlow() {
    return outstandingNanos >= patienceNanos / SLOW_DIVISOR;
  }

  /** Whether work has waited for the whole patience. */
  boolean isStalled() {
    return outstandingNanos >= patienceNanos;
  }

  /** Whether nothing has been stalled for as long as the patience. */
  boolean isSound() {
    return soundNanos >= patienceNanos;
  }
}

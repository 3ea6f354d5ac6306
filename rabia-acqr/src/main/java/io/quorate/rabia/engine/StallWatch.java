package io.quorate.rabia.engine;

import java.util.concurrent.TimeUnit;

/** Whether something that work waits for has made no progress for a second. Not thread-safe. */
final class StallWatch {
  static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private boolean waiting;
  private long since;

  /** Some of what was waited for has come. */
  void progressed(long nowNanos) {
    since = nowNanos;
  }

  /**
   * @param isWaiting whether anything waits now
   */
  void update(boolean isWaiting, long nowNanos) {
    if (isWaiting && !waiting) {
      since = nowNanos;
    }
    waiting = isWaiting;
  }

  boolean isStalled(long nowNanos) {
    return waiting && nowNanos - since >= STALL_NANOS;
  }

  /** When {@link #isStalled} turns true, if nothing happens before. */
  long dueAt(long nowNanos) {
    return waiting && !isStalled(nowNanos) ? since + STALL_NANOS : ReplicaLoop.idle(nowNanos);
  }
}

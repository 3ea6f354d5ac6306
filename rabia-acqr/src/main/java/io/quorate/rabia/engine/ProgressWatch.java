package io.quorate.rabia.engine;

import java.util.concurrent.TimeUnit;

/** Detects that work has waited for a second without progress. Not thread-safe. */
final class ProgressWatch {
  static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private boolean waiting;
  private long since;

  /** Records that a part of the work that waited is done. */
  void progressed(long nowNanos) {
    since = nowNanos;
  }

  /**
   * @param isWaiting whether any work waits now
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

  /** The time at which {@link #isStalled} becomes true if there is no progress before. */
  long dueAt(long nowNanos) {
    return waiting && !isStalled(nowNanos) ? since + STALL_NANOS : ReplicaLoop.idle(nowNanos);
  }
}

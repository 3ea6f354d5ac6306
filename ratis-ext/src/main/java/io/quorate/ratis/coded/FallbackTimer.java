package io.quorate.ratis.coded;

import java.time.Duration;

/**
 * Decides when the fragments of a body are late, so that complete copies replace them. Times are
 * those of {@link System#nanoTime}. Not thread-safe.
 *
 * <p>A complete commit needs F followers that store a copy. While fewer have stored even a
 * fragment, copies would not commit sooner, and where all followers are slow because of load, they
 * would add to it. So a follower is late only in comparison with the F that were fastest.
 */
final class FallbackTimer {
  /** A follower that takes longer than this multiple of the time of F others is late. */
  private static final int LATENESS = 3;

  private static final long UNKNOWN = -1;

  private final long afterNanos;
  private final long begunNanos;
  private long lastNanos;

  /** The time that F followers took. */
  private long othersNanos = UNKNOWN;

  /**
   * @param after the time after which fragments are late at the earliest
   */
  FallbackTimer(Duration after, long nowNanos) {
    this.afterNanos = after.toNanos();
    this.begunNanos = nowNanos;
    this.lastNanos = nowNanos;
  }

  /** F followers hold the body, in any form. Only the first call has an effect. */
  void heldByOthers(long nowNanos) {
    if (othersNanos == UNKNOWN) {
      othersNanos = nowNanos - begunNanos;
    }
  }

  /**
   * Whether copies are due.
   *
   * @param sending whether anything is on its way to a follower
   */
  boolean isDue(long nowNanos, boolean sending) {
    boolean comparable = othersNanos != UNKNOWN || !sending;
    return comparable && nowNanos - lastNanos >= toleranceNanos();
  }

  /** Copies are sent now; the next are due after the same time. */
  void fellBack(long nowNanos) {
    lastNanos = nowNanos;
  }

  /** Whether a follower that has stored the body now was in time. */
  boolean isInTime(long nowNanos) {
    return othersNanos == UNKNOWN || nowNanos - begunNanos < toleranceNanos();
  }

  private long toleranceNanos() {
    return Math.max(afterNanos, LATENESS * Math.max(0, othersNanos));
  }
}

package io.quorate.ratis.coded;

import java.time.Duration;

/**
 * Decides when a follower is late with its fragment of a body, so that complete copies replace it.
 * Times are those of {@link System#nanoTime}. Not thread-safe.
 *
 * <p>A complete commit needs F followers that store a copy. While fewer have stored even a
 * fragment, copies would not commit sooner. So a follower is late only in comparison with the F
 * that were fastest: if it takes a multiple of their time.
 *
 * <p>Where these take long themselves, the leader's network or processors are the bottleneck, and
 * copies, which are k times as long, would delay every later body. There a follower is late only if
 * it makes no progress at all.
 */
final class FallbackTimer {
  /** A follower that takes longer than this multiple of the time of F others is late. */
  private static final int LATENESS = 3;

  private static final long UNKNOWN = -1;

  private final long afterNanos;
  private final long stallNanos;
  private final long begunNanos;
  private long lastNanos;

  /** The time that F followers took. */
  private long othersNanos = UNKNOWN;

  /**
   * @param after the time after which a fragment is late at the earliest
   * @param stall the time without progress after which a follower is late under load
   */
  FallbackTimer(Duration after, Duration stall, long nowNanos) {
    this.afterNanos = after.toNanos();
    this.stallNanos = stall.toNanos();
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
   * Whether a follower that does not hold the body is late.
   *
   * @param sending whether anything is on its way to a follower
   * @param progressNanos when the follower has acknowledged a part of any body; at least that of
   *     the begin of this one, if there was none later
   */
  boolean isLate(long nowNanos, boolean sending, long progressNanos) {
    if (!sending) {
      return nowNanos - lastNanos >= afterNanos;
    }
    if (othersNanos == UNKNOWN) {
      return false;
    }
    if (othersNanos < afterNanos) {
      return nowNanos - lastNanos >= toleranceNanos();
    }
    return nowNanos - lastNanos >= stallNanos && nowNanos - progressNanos >= stallNanos;
  }

  /** When the body was sent first. */
  long begunNanos() {
    return begunNanos;
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

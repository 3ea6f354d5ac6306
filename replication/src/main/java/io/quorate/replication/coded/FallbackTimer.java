package io.quorate.replication.coded;

import java.time.Duration;

/**
 * Decides when a follower is late with its fragment of a body, so that complete copies replace it.
 * Times are those of {@link System#nanoTime}. Not thread-safe.
 *
 * <p>A complete commit needs F followers that store a copy. While fewer have stored even a
 * fragment, copies would not commit sooner. So a follower is late only in comparison with the F
 * that were fastest: if it takes a multiple of their time.
 *
 * <p>Many bodies may be on their way to a follower. Where the leader's network is the bottleneck,
 * they queue for some followers and not for others, because connections do not share it evenly;
 * copies, which are k times as long, would delay every later body. So a follower has that multiple
 * once more for each fragment of this length that it has stored since: it is late only if it is
 * slower than the others, not if it has more to store.
 *
 * <p>Where the others take long themselves, the network or the processors are the bottleneck for
 * all. There a follower is late only if it makes no progress at all.
 */
final class FallbackTimer {
  /** A follower that takes longer than this multiple of the time of F others is late. */
  private static final int LATENESS = 3;

  /** Under load, a follower may pause for this part of the time of F others: one in so many. */
  private static final int PAUSE = 2;

  private static final long UNKNOWN = -1;

  /**
   * What a follower has acknowledged of any bodies since this one was begun.
   *
   * @param lastNanos when it has acknowledged a chunk; at least when this body was begun
   * @param bytes the length of all chunks
   */
  record Progress(long lastNanos, long bytes) {}

  private final long afterNanos;
  private final long stallNanos;
  private final int fragmentBytes;
  private final long begunNanos;
  private long lastNanos;

  /** The time that F followers took. */
  private long othersNanos = UNKNOWN;

  /**
   * @param after the time after which a fragment is late at the earliest
   * @param stall the time without progress after which a follower is late under load, at the
   *     earliest
   * @param fragmentBytes length of the fragment of each follower; positive
   */
  FallbackTimer(Duration after, Duration stall, int fragmentBytes, long nowNanos) {
    this.afterNanos = after.toNanos();
    this.stallNanos = stall.toNanos();
    this.fragmentBytes = fragmentBytes;
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
   */
  boolean isLate(long nowNanos, boolean sending, Progress progress) {
    long elapsed = nowNanos - lastNanos;
    if (!sending) {
      return elapsed >= afterNanos;
    }
    if (othersNanos == UNKNOWN) {
      return false;
    }
    if (othersNanos < afterNanos) {
      return elapsed >= toleranceNanos(1 + fragments(progress));
    }
    long pauseNanos = Math.max(stallNanos, othersNanos / PAUSE);
    return elapsed >= pauseNanos && nowNanos - progress.lastNanos() >= pauseNanos;
  }

  /** When the body was sent first. */
  long begunNanos() {
    return begunNanos;
  }

  /** Copies are sent now; the next are due after the same time. */
  void fellBack(long nowNanos) {
    lastNanos = nowNanos;
  }

  /**
   * Whether a follower that has stored the body now was in time.
   *
   * @param progress includes this body
   */
  boolean isInTime(long nowNanos, Progress progress) {
    return othersNanos == UNKNOWN
        || nowNanos - begunNanos < toleranceNanos(Math.max(1, fragments(progress)));
  }

  private double fragments(Progress progress) {
    return (double) progress.bytes() / fragmentBytes;
  }

  /** The time for so many fragments, one after the other. */
  private long toleranceNanos(double fragments) {
    return Math.max(afterNanos, (long) (LATENESS * Math.max(0, othersNanos) * fragments));
  }
}

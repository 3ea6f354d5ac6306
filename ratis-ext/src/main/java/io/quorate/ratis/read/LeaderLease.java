package io.quorate.ratis.read;

import java.time.Duration;

/**
 * The lease under which a leader serves reads without contacting its followers (L9c). It counts
 * from the moment a confirmed round <em>began</em>, not from its responses, and ends before the
 * voters' grants do, by the drift that clocks may have. Pure: time is a parameter. Not thread-safe.
 */
final class LeaderLease {
  private final long lengthNanos;
  private boolean granted;
  private boolean revoked;
  private long sinceNanos;
  private long notBeforeNanos;

  /**
   * @param grant how long a voter's lease grant lasts
   * @param drift by how much clocks may diverge in that time
   */
  LeaderLease(Duration grant, Duration drift, long nowNanos) {
    this.lengthNanos = grant.minus(drift).toNanos();
    // A lease that outlives the grants would serve stale reads.
    assert lengthNanos > 0 && !drift.isNegative() : grant + " less " + drift;
    this.notBeforeNanos = nowNanos;
  }

  /** Whether messages are to request the grants that the lease rests on. */
  boolean requestsGrants() {
    return !revoked;
  }

  /** Records that a round that began at {@code nanos} was confirmed. */
  void confirm(long nanos) {
    boolean counts = !revoked && nanos - notBeforeNanos >= 0;
    if (counts && (!granted || nanos - sinceNanos > 0)) {
      granted = true;
      sinceNanos = nanos;
    }
  }

  boolean isValid(long nowNanos) {
    return granted && !revoked && nowNanos - sinceNanos < lengthNanos;
  }

  /** Whether it is time for another round, so that the lease does not expire under load. */
  boolean isPastHalf(long nowNanos) {
    return !granted || nowNanos - sinceNanos > lengthNanos / 2;
  }

  /** Ends the lease and the requests for grants before a leadership transfer. */
  void revoke() {
    revoked = true;
    granted = false;
  }

  /** Allows the lease again after a failed transfer. Only rounds that begin from now on count. */
  void restore(long nowNanos) {
    revoked = false;
    notBeforeNanos = nowNanos;
  }
}

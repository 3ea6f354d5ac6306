package io.quorate.ratis.read;

import java.time.Duration;

/**
 * For how long a leader may answer without asking (PROTOCOLS L9c). Counts from the moment a
 * confirmed round was <em>begun</em>, not from when it was answered, and ends before the voters'
 * promise does by the drift allowed to clocks. Pure: time comes in as a number. Not thread-safe.
 */
final class LeaderLease {
  private final long lengthNanos;
  private boolean granted;
  private boolean revoked;
  private long sinceNanos;
  private long notBeforeNanos;

  /**
   * @param promise how long voters keep their promise
   * @param drift by how much clocks may disagree over that time
   */
  LeaderLease(Duration promise, Duration drift, long nowNanos) {
    this.lengthNanos = promise.minus(drift).toNanos();
    this.notBeforeNanos = nowNanos;
  }

  /** Whether messages are to ask for the promises that the lease rests on. */
  boolean asksForPromises() {
    return !revoked;
  }

  /** A round that began at {@code nanos} was confirmed. */
  void confirmed(long nanos) {
    boolean asked = !revoked && nanos - notBeforeNanos >= 0;
    if (asked && (!granted || nanos - sinceNanos > 0)) {
      granted = true;
      sinceNanos = nanos;
    }
  }

  boolean isValid(long nowNanos) {
    return granted && !revoked && nowNanos - sinceNanos < lengthNanos;
  }

  /** Whether it is time to ask again, so that the lease does not run out under load. */
  boolean isPastHalf(long nowNanos) {
    return !granted || nowNanos - sinceNanos > lengthNanos / 2;
  }

  /** Ends the lease, and the asking for promises, before leadership is handed over. */
  void revoke() {
    revoked = true;
    granted = false;
  }

  /** The hand-over has failed. Only rounds that begin from here on count again. */
  void restore(long nowNanos) {
    revoked = false;
    notBeforeNanos = nowNanos;
  }
}

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

  /**
   * @param promise how long voters keep their promise
   * @param drift by how much clocks may disagree over that time
   */
  LeaderLease(Duration promise, Duration drift) {
    this.lengthNanos = promise.minus(drift).toNanos();
  }

  /** A round that began at {@code nanos} was confirmed. */
  void confirmed(long nanos) {
    if (!granted || nanos - sinceNanos > 0) {
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

  /** Ends the lease for good, before leadership is handed to somebody who made no promise. */
  void revoke() {
    revoked = true;
  }

  /** Takes a revocation back, once the hand-over is known to have failed and its time is over. */
  void restore() {
    revoked = false;
    granted = false;
  }
}

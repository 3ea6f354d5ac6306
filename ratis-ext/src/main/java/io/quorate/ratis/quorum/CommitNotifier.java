package io.quorate.ratis.quorum;

import io.quorate.model.Position;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Decides whether followers are to receive the commit index sooner. By itself, Ratis sends it with
 * the next entry, or with a heartbeat, which may be half an election timeout later; a read behind
 * an acknowledged write would wait that long.
 *
 * <p>A follower that has reported a pending write to a reader and whose applied position does not
 * advance sends a read index request to the leader; a leader that has recently received such a
 * request announces each commit index that no further entry will carry. So no additional message is
 * sent while writes follow each other closely, or while there are no readers. Pure: time is a
 * parameter. Thread-safe.
 */
final class CommitNotifier {
  /** How long a follower's applied position may stand still before the leader is queried. */
  static final long STALL_NANOS = Duration.ofMillis(2).toNanos();

  /** How long a reader at a follower, or a request at the leader, counts as recent. */
  static final long RECENT_NANOS = Duration.ofSeconds(1).toNanos();

  // All guarded by this. A time has no meaning before the first event of its kind.
  private boolean hasReported;
  private long reportedAtNanos;
  private long awaitedIndex = -1;
  private long appliedIndex = -1;
  private long appliedAtNanos;
  private boolean hasRequests;
  private long requestedAtNanos;

  /**
   * Records that a pending write was reported to a reader.
   *
   * @return whether no pending write so far ahead had been reported
   */
  synchronized boolean pendingReported(Position pending, long nowNanos) {
    hasReported = true;
    reportedAtNanos = nowNanos;
    boolean isFurther = pending.index() > awaitedIndex;
    awaitedIndex = Math.max(awaitedIndex, pending.index());
    return isFurther;
  }

  /** Whether a pending write was reported to a reader recently and is not applied. */
  synchronized boolean isAwaited(Position applied, long nowNanos) {
    if (applied.index() > appliedIndex) {
      appliedIndex = applied.index();
      appliedAtNanos = nowNanos;
    }
    boolean isOver = !hasReported || nowNanos - reportedAtNanos > RECENT_NANOS;
    if (isOver) {
      // The entry may have been truncated, and would never be applied.
      awaitedIndex = -1;
    }
    return awaitedIndex > applied.index();
  }

  /** Whether, in addition, nothing was applied for so long that the leader is to be queried. */
  synchronized boolean isStalled(Position applied, long nowNanos) {
    return isAwaited(applied, nowNanos) && nowNanos - appliedAtNanos >= STALL_NANOS;
  }

  /** Records that a follower sent a read index request to this replica, as the leader. */
  synchronized void requestReceived(long nowNanos) {
    hasRequests = true;
    requestedAtNanos = nowNanos;
  }

  /**
   * Whether a leader is to announce its commit index now.
   *
   * @param committed what has just been committed
   * @param lastIndex the last index of its log; evaluated only where it matters
   */
  synchronized boolean mustAnnounce(Position committed, LongSupplier lastIndex, long nowNanos) {
    return hasRequests
        && nowNanos - requestedAtNanos <= RECENT_NANOS
        && committed.index() >= lastIndex.getAsLong();
  }
}

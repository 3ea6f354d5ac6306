package io.quorate.ratis.quorum;

import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Whether followers should hear sooner what is committed. By itself Ratis tells them with the next
 * entry, or with a heartbeat, which may be half an election timeout away; for so long a read waits
 * behind a write that has been acknowledged.
 *
 * <p>A follower whose state stands still although it has told readers of a pending write asks the
 * leader; and a leader that was asked lately tells followers at once what no further entry will
 * tell them. So nothing is sent in vain where writes follow each other closely, or where nobody
 * reads. Pure: time comes in as a number. Thread-safe.
 */
final class CommitNews {
  /** How long a follower's state may stand still before the leader is asked. */
  static final long STANDSTILL_NANOS = Duration.ofMillis(2).toNanos();

  /** How long readers are remembered, here and at the leader. */
  static final long MEMORY_NANOS = Duration.ofSeconds(1).toNanos();

  // All guarded by this; the times mean nothing before the first of each.
  private boolean readersAsked;
  private long readersAskedAtNanos;
  private long awaitedIndex = -1;
  private long appliedIndex = -1;
  private long appliedAtNanos;
  private boolean followersAsked;
  private long followersAskedAtNanos;

  /**
   * A reader was told that a write is pending.
   *
   * @return whether nobody had been told of one so far ahead
   */
  synchronized boolean reported(Position pending, long nowNanos) {
    readersAsked = true;
    readersAskedAtNanos = nowNanos;
    boolean isNews = pending.index() > awaitedIndex;
    awaitedIndex = Math.max(awaitedIndex, pending.index());
    return isNews;
  }

  /** Whether a write is pending of which a reader was told lately. */
  synchronized boolean isAwaited(Position applied, long nowNanos) {
    if (applied.index() > appliedIndex) {
      appliedIndex = applied.index();
      appliedAtNanos = nowNanos;
    }
    boolean isForgotten = !readersAsked || nowNanos - readersAskedAtNanos > MEMORY_NANOS;
    if (isForgotten) {
      // It may have left the log, and never come.
      awaitedIndex = -1;
    }
    return awaitedIndex > applied.index();
  }

  /** Whether, moreover, nothing was applied for so long that the leader should be asked. */
  synchronized boolean isStandstill(Position applied, long nowNanos) {
    return isAwaited(applied, nowNanos) && nowNanos - appliedAtNanos >= STANDSTILL_NANOS;
  }

  /** A follower asked this replica, as the leader. */
  synchronized void followerAsked(long nowNanos) {
    followersAsked = true;
    followersAskedAtNanos = nowNanos;
  }

  /**
   * Whether a leader is to tell followers now.
   *
   * @param committed what has just been committed
   * @param lastIndex where its log ends; asked only where it matters
   */
  synchronized boolean isToBeTold(Position committed, LongSupplier lastIndex, long nowNanos) {
    return followersAsked
        && nowNanos - followersAskedAtNanos <= MEMORY_NANOS
        && committed.index() >= lastIndex.getAsLong();
  }
}

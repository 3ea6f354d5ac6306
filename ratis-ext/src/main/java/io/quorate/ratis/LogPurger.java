package io.quorate.ratis;

import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.ratis.log.EntryLog;
import io.quorate.ratis.settings.RatisSettings;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongToIntFunction;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * Purges the log behind the durable state. Ratis would purge up to any index, so the bounds are
 * enforced here: never beyond what survives power loss, never without a tail for replicas that were
 * unreachable for a moment, and never entries that a connected replica needs that is only somewhat
 * behind.
 */
final class LogPurger {
  private final RaftServer.Division division;
  private final EntryLog records;
  private final ReplicatedStateMachine machine;
  private final RatisSettings settings;
  private final AtomicBoolean isPurging = new AtomicBoolean();

  LogPurger(
      RaftServer.Division division,
      EntryLog records,
      ReplicatedStateMachine machine,
      RatisSettings settings) {
    this.division = division;
    this.records = records;
    this.machine = machine;
    this.settings = settings;
  }

  /** Purges what the bounds allow. Waits for the log's lock, but no two threads do. */
  void purge() {
    if (isPurging.compareAndSet(false, true)) {
      try {
        purgeNow();
      } finally {
        isPurging.set(false);
      }
    }
  }

  private void purgeNow() {
    RaftLog log = division.getRaftLog();
    long durable = machine.durable().index();
    long upTo =
        Math.max(
            purgeIndex(
                durable,
                division.getInfo().getFollowerMatchIndices(),
                settings.log().retained().entries(),
                settings.log().retained().entriesForSlow()),
            beyond(
                records.firstIndex(),
                durable,
                records.liveBytes() - retainedBytesMax(),
                records::length));
    if (upTo > log.getStartIndex()) {
      RaftPoints.BEFORE_PURGE.passed(division.getGroup().getGroupId());
      log.purge(upTo);
      RaftPoints.AFTER_PURGE.passed(division.getGroup().getGroupId());
    }
  }

  /**
   * Half of what the group may have in a log that is full, so that it is never refused for long.
   */
  private long retainedBytesMax() {
    return Math.min(settings.log().retained().bytesMax(), records.shareBytes() / 2);
  }

  /**
   * The index up to which entries have to go to remove so many bytes; at most the durable one.
   *
   * @param first the first index of the log
   * @param length that of an entry
   */
  static long beyond(long first, long durable, long excess, LongToIntFunction length) {
    long index = first - 1;
    for (long left = excess; left > 0 && index < durable; index++) {
      left -= length.applyAsInt(index + 1);
    }
    return index;
  }

  /**
   * The last index that may be purged.
   *
   * @param durable the index up to which the state survives power loss
   * @param followers the match index of each follower; null if this replica does not lead
   * @param retained how many entries are kept behind {@code durable}
   * @param retainedForSlow the maximum number of entries kept for a follower that is behind
   */
  static long purgeIndex(long durable, long[] followers, long retained, long retainedForSlow) {
    long upTo = durable - retained;
    if (followers == null) {
      return upTo;
    }
    long slowest = Arrays.stream(followers).min().orElse(upTo);
    return Math.min(upTo, Math.max(slowest, durable - Math.max(retained, retainedForSlow)));
  }
}

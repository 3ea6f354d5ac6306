package io.quorate.ratis;

import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.ratis.settings.RatisSettings;
import java.util.Arrays;
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
  private final ReplicatedStateMachine machine;
  private final RatisSettings settings;

  LogPurger(RaftServer.Division division, ReplicatedStateMachine machine, RatisSettings settings) {
    this.division = division;
    this.machine = machine;
    this.settings = settings;
  }

  /**
   * Purges what the bounds allow. Does not block; only whole files are deleted, so little or
   * nothing may happen.
   */
  void purge() {
    RaftLog log = division.getRaftLog();
    long upTo =
        purgeIndex(
            machine.durable().index(),
            division.getInfo().getFollowerMatchIndices(),
            settings.log().retainedEntries(),
            settings.log().retainedForSlowEntries());
    if (upTo > log.getStartIndex()) {
      RaftPoints.BEFORE_PURGE.passed(division.getGroup().getGroupId());
      log.purge(upTo);
      RaftPoints.AFTER_PURGE.passed(division.getGroup().getGroupId());
    }
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

package io.quorate.ratis;

import io.quorate.consensus.ReplicatedStateMachine;
import java.util.Arrays;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * Cuts the log behind the durable state. Ratis would purge whatever it is asked to, so the bounds
 * are here: never beyond what survives power loss, not without a tail for replicas that were away
 * for a moment, and not away from under a replica that is connected and only somewhat behind.
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

  /** Purges what may go. Does not block; whole files go, so little or nothing may happen. */
  void purge() {
    RaftLog log = division.getRaftLog();
    long upTo =
        purgeIndex(
            machine.durable().index(),
            division.getInfo().getFollowerMatchIndices(),
            settings.retainedEntries(),
            settings.retainedForSlowEntries());
    if (upTo > log.getStartIndex()) {
      RaftPoints.BEFORE_PURGE.passed(division.getGroup().getGroupId());
      log.purge(upTo);
      RaftPoints.AFTER_PURGE.passed(division.getGroup().getGroupId());
    }
  }

  /**
   * The last index that may go.
   *
   * @param durable up to where the state survives power loss
   * @param followers how far each follower is; null where this replica does not lead
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

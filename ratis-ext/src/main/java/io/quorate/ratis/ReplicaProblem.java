package io.quorate.ratis;

import io.quorate.ratis.guards.CommittedEntries;
import io.quorate.ratis.health.CommitWatch;
import java.util.Optional;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * Why a replica takes no part in its group although it runs: it does not follow a leader, or it
 * leads and commits nothing. Any thread, except {@link #watchCommits}; nothing blocks.
 */
final class ReplicaProblem {
  private final CommittedEntries committed = new CommittedEntries();
  private final CommitWatch commits = new CommitWatch(RatisHousekeeping.TICK);

  CommittedEntries committed() {
    return committed;
  }

  /** The leader that the replica does not follow, because of what is committed here. */
  Optional<RaftPeerId> contradictedBy(RaftServer.Division division) {
    return division.getInfo().isLeader() ? Optional.empty() : committed.contradictedBy();
  }

  /** Whether the replica leads, and commits nothing although entries wait. */
  boolean commitsNothing() {
    return commits.isStalled();
  }

  /** To be called many times a second, by one thread. Returns whether it is to step down now. */
  boolean watchCommits(RaftServer.Division division, long nowNanos) {
    RaftLog log = division.getRaftLog();
    long last;
    try {
      last = log.getNextIndex() - 1;
    } catch (IllegalStateException e) {
      // Ratis closes the log of a leader before it ends the leadership.
      return false;
    }
    return commits.tick(nowNanos, division.getInfo().isLeader(), last, log.getLastCommittedIndex());
  }

  /** The rest of a sentence about the replica; empty if nothing is wrong. */
  Optional<String> text(RaftServer.Division division) {
    if (commits.isStalled()) {
      return Optional.of("leads, and has committed nothing for 10 s although entries wait");
    }
    return contradictedBy(division)
        .map(
            leader ->
                "does not follow "
                    + leader
                    + ", whose log contradicts entries that are committed: writes that were"
                    + " acknowledged are missing there");
  }
}

package io.quorate.ratis.read;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.raftlog.RaftLog;

/** The followers of one replica while it leads; there are none otherwise. Thread-safe. */
public final class Followers {
  private final RaftServer.Division division;
  private final Supplier<List<FollowerInfo>> present;
  private final Supplier<Set<RaftPeerId>> lost;

  /**
   * A follower as its leader sees it: the last index known to match, and the time since its last
   * response, or since the leader was elected if there was none.
   */
  public record Follower(RaftPeerId id, long matchIndex, Duration silent) {
    private static Follower of(FollowerInfo info) {
      return new Follower(
          info.getId(),
          info.getMatchIndex(),
          Duration.ofMillis(info.getLastRpcResponseTime().elapsedTimeMs()));
    }

    /** Whether it has accepted entries of this leader in its term. */
    public boolean hasAccepted() {
      return matchIndex > RaftLog.INVALID_LOG_INDEX;
    }
  }

  /**
   * @param present those that have a log appender now, also ones that are no longer members
   * @param lost those that have lost entries which they had acknowledged in this term, a mutable
   *     set
   */
  Followers(
      RaftServer.Division division,
      Supplier<List<FollowerInfo>> present,
      Supplier<Set<RaftPeerId>> lost) {
    this.division = division;
    this.present = present;
    this.lost = lost;
  }

  /** The members that have lost entries which they had acknowledged to this leader. */
  public List<RaftPeerId> lost() {
    RaftConfiguration members = division.getRaftConf();
    return lost.get().stream().filter(id -> members.getPeer(id) != null).toList();
  }

  /** Forgets losses of replicas that are no members any more: another one may take their place. */
  public void membersChanged() {
    RaftConfiguration members = division.getRaftConf();
    Set<RaftPeerId> known = lost.get();
    if (!known.isEmpty()) {
      known.removeIf(id -> members.getPeer(id) == null);
    }
  }

  /** Those that are members. */
  public List<Follower> members() {
    RaftConfiguration members = division.getRaftConf();
    return present.get().stream()
        .filter(info -> members.getPeer(info.getId()) != null)
        .map(Follower::of)
        .toList();
  }

  /** Those that have everything this leader has, and so receive only heartbeats. */
  public List<FollowerInfo> idle() {
    RaftLog log = division.getRaftLog();
    long last = log.getNextIndex() - 1;
    long committed = log.getLastCommittedIndex();
    return committed < last
        ? List.of()
        : present.get().stream()
            .filter(info -> info.getMatchIndex() == last && info.getCommitIndex() == committed)
            .toList();
  }

  /**
   * Whether the follower has responded within {@code maxSilence} and lacks at most {@code entries}
   * entries.
   */
  public boolean isCaughtUp(RaftPeerId follower, long entries, Duration maxSilence) {
    return present.get().stream()
        .filter(info -> info.getId().equals(follower))
        .anyMatch(
            info ->
                info.getLastRpcResponseTime().elapsedTimeMs() <= maxSilence.toMillis()
                    && info.getMatchIndex() + entries
                        >= division.getRaftLog().getLastEntryTermIndex().getIndex());
  }
}

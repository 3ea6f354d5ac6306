package io.quorate.ratis.read;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.LogAppender;

/**
 * What a round requests from followers: confirmations of as many as a majority needs, and later of
 * the others; or heartbeats, of all. Guarded by the lock of {@link ReadIndex}, without which the
 * requests are sent.
 */
final class RoundRequests {
  /** A confirmation to request from a follower. */
  record Outgoing(ReadRound round, LogAppender follower, long term) {}

  private final RaftServer.Division division;
  private final boolean usesConfirmations;
  private final Confirmers<RaftPeerId> confirmers;
  private List<Outgoing> outgoing = new ArrayList<>();

  /**
   * @param usesConfirmations whether followers can confirm by other messages than heartbeats
   */
  RoundRequests(RaftServer.Division division, boolean usesConfirmations) {
    this.division = division;
    this.usesConfirmations = usesConfirmations;
    this.confirmers =
        new Confirmers<>(division.getId(), Comparator.comparing(RaftPeerId::toString));
  }

  /**
   * Requests what a round needs at first.
   *
   * @return whether the others are to be requested if the round is not confirmed in time
   */
  boolean begin(Leadership leadership, ReadRound round) {
    for (LogAppender each : leadership.appenders.values()) {
      round.votes.watch(each, each.getCallId());
    }
    if (!confirms(leadership) || !division.getRaftConf().getPreviousPeers().isEmpty()) {
      widen(leadership, round);
      return false;
    }
    List<RaftPeerId> voters =
        division.getRaftConf().getCurrentPeers().stream().map(RaftPeer::getId).toList();
    for (RaftPeerId follower : confirmers.first(voters)) {
      LogAppender appender = leadership.appenders.get(follower);
      if (appender == null) {
        widen(leadership, round);
        return false;
      }
      request(leadership, round, appender);
    }
    return true;
  }

  /** Requests what a round needs of a follower that has a new log appender. */
  void add(Leadership leadership, ReadRound round, LogAppender appender) {
    round.votes.watch(appender, appender.getCallId());
    request(leadership, round, appender);
  }

  /** Requests confirmations of all followers of which none were requested. */
  void widen(Leadership leadership, ReadRound round) {
    round.isWide = true;
    for (LogAppender each : leadership.appenders.values()) {
      if (!round.requested.contains(each)) {
        request(leadership, round, each);
      }
    }
  }

  /** After how long a round is late, in nanoseconds. */
  long patienceNanos() {
    return confirmers.patienceNanos();
  }

  /** Widens a round that is late. */
  void late(Leadership leadership, ReadRound round) {
    for (LogAppender each : round.requested) {
      if (!round.votes.hasConfirmed(each.getFollowerId())) {
        confirmers.late(each.getFollowerId());
      }
    }
    widen(leadership, round);
  }

  /** Records that a follower has confirmed. */
  void confirmed(ReadRound round, LogAppender follower) {
    round.votes.confirm(follower.getFollowerId());
    confirmers.inTime(follower.getFollowerId());
  }

  /**
   * Continues with a heartbeat, and with the other followers, after one has not confirmed: it may
   * be in an earlier term, may hibernate, or may respond to Raft only.
   */
  void refused(Leadership leadership, ReadRound round, LogAppender follower) {
    confirmers.late(follower.getFollowerId());
    heartbeat(round, follower);
    if (leadership != null) {
      widen(leadership, round);
    }
  }

  /** Records that a round has a majority. */
  void ended(ReadRound round) {
    confirmers.confirmed(System.nanoTime() - round.startedNanos);
  }

  /** Requests heartbeats of all followers, because no majority has confirmed for long. */
  void heartbeats(Leadership leadership, ReadRound round) {
    leadership.appenders.values().forEach(each -> heartbeat(round, each));
  }

  /** The messages from the beginning of the round on count, and a heartbeat is one of them. */
  private static void heartbeat(ReadRound round, LogAppender appender) {
    round.heartbeats.add(appender);
    appender.triggerHeartbeat();
  }

  private boolean confirms(Leadership leadership) {
    return usesConfirmations && leadership.term != Leadership.UNKNOWN && !leadership.isSilent;
  }

  private void request(Leadership leadership, ReadRound round, LogAppender appender) {
    round.requested.add(appender);
    if (confirms(leadership)) {
      outgoing.add(new Outgoing(round, appender, leadership.term));
    } else {
      heartbeat(round, appender);
    }
  }

  /** Removes the requests that are to be sent. */
  List<Outgoing> take() {
    if (outgoing.isEmpty()) {
      return List.of();
    }
    List<Outgoing> taken = outgoing;
    outgoing = new ArrayList<>();
    return taken;
  }
}

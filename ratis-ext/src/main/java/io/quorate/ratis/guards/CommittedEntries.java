package io.quorate.ratis.guards;

import io.quorate.common.LogLimit;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The committed entries of a replica, none of which it drops for a leader whose log contradicts
 * them.
 *
 * <p>A leader has every committed entry (Raft, section 5.4), as long as no replica loses what it
 * has acknowledged. If most disks of a group were exchanged, or restored from older copies, a
 * replica without these entries may be elected. A follower of Ratis 3.3.0 then drops what it has
 * committed, or, where it has applied and purged that, takes what the leader sends as known, and
 * has other rows from then on. Here its requests are rejected, and this replica says so.
 *
 * <p>Thread-safe.
 */
public final class CommittedEntries {
  private static final Logger LOG = LoggerFactory.getLogger(CommittedEntries.class);
  private static final LogLimit LINES = LogLimit.oneAMinute();

  /** A leader whose log contradicts what is committed here. */
  private record Contradiction(RaftPeerId leader, long term) {}

  /** The last one since a leader's entries were accepted; null if there was none. */
  private volatile Contradiction contradiction;

  /**
   * Checks a request of a leader with entries, or a heartbeat.
   *
   * @throws IOException if it contradicts a committed entry
   */
  void require(RaftServer.Division division, AppendEntriesRequestProto request) throws IOException {
    if (request.getLeaderTerm() < division.getInfo().getCurrentTerm()) {
      // Ratis rejects it.
      return;
    }
    try {
      requireKnown(division, request);
    } catch (IllegalStateException e) {
      // The log is not open, and Ratis rejects the request.
      LOG.atTrace().setCause(e).log("Not checked");
    }
  }

  private void requireKnown(RaftServer.Division division, AppendEntriesRequestProto request)
      throws IOException {
    long first =
        request.hasPreviousLog()
            ? request.getPreviousLog().getIndex()
            : request.getEntriesCount() > 0 ? request.getEntries(0).getIndex() : Long.MAX_VALUE;
    long committed = committedIndex(division);
    if (first > committed) {
      return;
    }
    RaftPeerId leader = RaftPeerId.valueOf(request.getServerRequest().getRequestorId());
    if (request.hasPreviousLog()) {
      TermIndex previous = TermIndex.valueOf(request.getPreviousLog());
      require(division, committed, previous, leader, request.getLeaderTerm());
    }
    for (LogEntryProto entry : request.getEntriesList()) {
      if (entry.getIndex() > committed) {
        break;
      }
      require(division, committed, TermIndex.valueOf(entry), leader, request.getLeaderTerm());
    }
  }

  /**
   * Checks a request to install a snapshot, which would replace what is committed here.
   *
   * @throws IOException if its leader contradicts a committed entry
   */
  void require(RaftServer.Division division, InstallSnapshotRequestProto request)
      throws IOException {
    RaftRpcRequestProto header = request.getServerRequest();
    Contradiction present = contradiction;
    if (present != null
        && present.term() == request.getLeaderTerm()
        && present.leader().equals(RaftPeerId.valueOf(header.getRequestorId()))) {
      throw rejection(division, present);
    }
  }

  /** Entries of a leader were accepted: it has what is committed here. */
  void accepted() {
    if (contradiction != null) {
      contradiction = null;
    }
  }

  /** The leader whose requests are rejected; empty if there is none. Does not block. */
  public Optional<RaftPeerId> contradictedBy() {
    return Optional.ofNullable(contradiction).map(Contradiction::leader);
  }

  private static long committedIndex(RaftServer.Division division) {
    return Math.max(
        division.getRaftLog().getLastCommittedIndex(), division.getRaftLog().getSnapshotIndex());
  }

  /** Terms do not decrease along a log, so none before the last committed entry is greater. */
  private void require(
      RaftServer.Division division, long committed, TermIndex theirs, RaftPeerId leader, long term)
      throws IOException {
    if (theirs.getIndex() > committed) {
      return;
    }
    RaftLog log = division.getRaftLog();
    TermIndex ours = log.getTermIndex(theirs.getIndex());
    TermIndex last = ours != null ? ours : lastKnown(division, committed);
    boolean isOther =
        ours != null
            ? ours.getTerm() != theirs.getTerm()
            : last != null && theirs.getTerm() > last.getTerm();
    if (!isOther) {
      return;
    }
    Contradiction found = new Contradiction(leader, term);
    if (!found.equals(contradiction)) {
      contradiction = found;
      LINES.log(
          leftOut ->
              LOG.error(
                  "The log of a leader contradicts entries that are committed: writes that were"
                      + " acknowledged are missing there. This replica keeps what it has, and does"
                      + " not follow. Stop the nodes, and look which disks were exchanged, restored"
                      + " or lost: docs/operations.md, A leader that lacks committed entries"
                      + " member={} leader={} leaderTerm={} leaderEntry={} committedEntry={}"
                      + " committed={}{}",
                  division.getMemberId(),
                  leader,
                  term,
                  theirs,
                  last,
                  committed,
                  LogLimit.text(leftOut)));
    }
    throw rejection(division, found);
  }

  /** An entry at or below the last committed one, and not below what the log has no more. */
  private static TermIndex lastKnown(RaftServer.Division division, long committed) {
    TermIndex last = division.getRaftLog().getTermIndex(committed);
    if (last != null) {
      return last;
    }
    TermIndex applied = division.getStateMachine().getLastAppliedTermIndex();
    return applied != null && applied.getIndex() == committed ? applied : null;
  }

  private static IOException rejection(RaftServer.Division division, Contradiction found) {
    return new IOException(
        String.format(
            Locale.ROOT,
            "%s has committed entries that %s, the leader of term %d, does not have; it does not"
                + " follow.",
            division.getMemberId(),
            found.leader(),
            found.term()));
  }
}

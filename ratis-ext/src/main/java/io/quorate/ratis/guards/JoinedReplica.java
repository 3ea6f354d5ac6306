package io.quorate.ratis.guards;

import io.quorate.ratis.log.ReplicaStates;
import java.io.IOException;
import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.SnapshotInfo;

/**
 * The fence around a replica that joined its group by a change of members, until its log shows that
 * change's group.
 *
 * <p>Its node may have had a replica of the group before, under the same name. Members that are
 * behind, and a leader that was paused, still count that one, and the present one does not know
 * what it acknowledged and how it voted: with such a member it would be a majority without entries
 * that are committed. In Raft no server returns like this.
 *
 * <p>The leader that adds a member has committed an entry of its own term, and the configuration
 * that it changes. It marks its requests as initializing until the new member has caught up, and
 * does not count it. The first of these requests shows the last committed entry, which is of the
 * leader's term: the <em>base</em>. A log that ends at or after the base has the removal of the
 * former replica (Raft, section 5.4.3). So this replica
 *
 * <ul>
 *   <li>accepts nothing before it knows its base, except initializing requests;
 *   <li>votes only for candidates whose logs end at or after the base;
 *   <li>stands for no election and sends no read replies before its own log does.
 * </ul>
 *
 * <p>Leaders of former terms are rejected once the base is known, by the term. A member that never
 * returns has the same fence, because it cannot know that. Thread-safe.
 */
public final class JoinedReplica {
  private final ReplicaStates states;

  /** Null before Ratis has opened the replica. */
  private volatile RaftServer.Division division;

  /** Null while no request of the leader that adds this replica is known. */
  private volatile TermIndex base;

  /** Stays true: what is committed is never removed from a log. */
  private volatile boolean caughtUp;

  /**
   * The fence of a replica that is about to be opened.
   *
   * @param joined whether the replica joined its group, instead of being one of the first
   * @param states have the base once it is known
   */
  public JoinedReplica(boolean joined, ReplicaStates states) {
    this.states = states;
    this.caughtUp = !joined;
    this.base = states.joinedAfter().orElse(null);
  }

  /** To be called when Ratis has opened the replica. */
  public void opened(RaftServer.Division replica) {
    division = replica;
  }

  /**
   * Checks a request of a leader with entries, or a heartbeat. Blocks at the first one.
   *
   * @throws IOException if it must be rejected, or the base cannot be written
   */
  void require(AppendEntriesRequestProto request) throws IOException {
    if (caughtUp) {
      return;
    }
    if (request.getInitializing()) {
      record(request);
    }
    requireBase();
  }

  private synchronized void record(AppendEntriesRequestProto request) throws IOException {
    TermIndex known = base;
    if (known != null && known.getTerm() >= request.getLeaderTerm()) {
      return;
    }
    long committed =
        request.getCommitInfosList().stream()
            .filter(
                info ->
                    info.getServer().getId().equals(request.getServerRequest().getRequestorId()))
            .mapToLong(CommitInfoProto::getCommitIndex)
            .findFirst()
            .orElseThrow(
                () -> new ServerNotReadyException("The request shows no commit of its leader."));
    TermIndex next = TermIndex.valueOf(request.getLeaderTerm(), committed);
    states.setJoinedAfter(next);
    base = next;
  }

  /**
   * Checks that this replica may accept a snapshot, or help to elect others.
   *
   * @throws ServerNotReadyException if not
   */
  void requireBase() throws ServerNotReadyException {
    if (!caughtUp && base == null) {
      throw new ServerNotReadyException(
          "This replica has joined its group, and has received nothing from the leader that adds"
              + " it.");
    }
  }

  /**
   * Checks that this replica may vote for a candidate.
   *
   * @throws ServerNotReadyException if not
   */
  void require(RequestVoteRequestProto request) throws ServerNotReadyException {
    requireBase();
    if (!hasCaughtUp() && base.compareTo(TermIndex.valueOf(request.getCandidateLastEntry())) > 0) {
      throw new ServerNotReadyException(
          "The log of the candidate ends before this replica joined the group.");
    }
  }

  /**
   * Whether this replica's log shows the group that it joined. If not, it must neither lead nor
   * send read replies. Any thread; does not block.
   */
  public boolean hasCaughtUp() {
    if (caughtUp) {
      return true;
    }
    TermIndex known = base;
    RaftServer.Division replica = division;
    if (known != null && replica != null) {
      try {
        caughtUp = lastEntry(replica).filter(last -> last.compareTo(known) >= 0).isPresent();
      } catch (IllegalStateException e) {
        // The log is closed.
        return false;
      }
    }
    return caughtUp;
  }

  /** The last entry of a replica's log, or of its state if the log has none. */
  static Optional<TermIndex> lastEntry(RaftServer.Division division) {
    return Optional.ofNullable(division.getRaftLog().getLastEntryTermIndex())
        .or(
            () ->
                Optional.ofNullable(division.getStateMachine().getLatestSnapshot())
                    .map(SnapshotInfo::getTermIndex));
  }
}

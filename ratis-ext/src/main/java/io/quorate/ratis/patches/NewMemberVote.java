package io.quorate.ratis.patches;

import java.io.IOException;
import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.server.protocol.RaftServerProtocol;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.util.LifeCycle;

/**
 * The vote of a new member that has not received the configuration that it is part of, or was
 * restarted during the change. Ratis 3.3.0 rejects the request: such a replica is starting until a
 * leader sends it entries as to a member. But the change may be complete without it, and if the
 * leader fails then, a majority of the others may need its vote.
 *
 * <p>In Raft a server votes whether or not it is in its own newest configuration (Ongaro's
 * dissertation, section 4.2.2). A candidate whose configuration has a former replica of the same
 * node receives no vote: see {@code JoinedReplica}.
 *
 * <p>Upstream: not reported. Fails without it: {@code MemberElectionsTest}. Can go when Ratis lets
 * a replica vote that is no member in its own configuration.
 */
public final class NewMemberVote {
  private final RaftServerProtocol votes;
  private final RaftServerAsynchronousProtocol appends;
  private final RaftServer.Division division;
  private final Optional<TermIndex> last;

  /**
   * @param votes passes vote requests to Ratis
   * @param appends passes heartbeats to Ratis
   * @param last the last entry of the replica's log, or of its state if the log has none
   */
  public NewMemberVote(
      RaftServerProtocol votes,
      RaftServerAsynchronousProtocol appends,
      RaftServer.Division division,
      Optional<TermIndex> last) {
    this.votes = votes;
    this.appends = appends;
    this.division = division;
    this.last = last;
  }

  /**
   * Whether Ratis would reject the request for the reason above.
   *
   * @param isOpen whether the group is open, although Ratis reports that it is starting
   */
  public static boolean isNeeded(RaftServer.Division division, boolean isOpen) {
    return isOpen && division.getInfo().getLifeCycleState() == LifeCycle.State.STARTING;
  }

  /** The vote, or its rejection. Blocks while the vote is written. */
  public RequestVoteReplyProto reply(RequestVoteRequestProto request) throws IOException {
    if (request.getPreVote()) {
      return preVote(request);
    }
    if (request.getCandidateTerm() > division.getInfo().getCurrentTerm() && isUpToDate(request)) {
      run(request.getServerRequest());
    }
    return votes.requestVote(request);
  }

  /**
   * The reply to a pre-vote, which promises nothing. It does not depend on the time of the leader's
   * last request, which Ratis does not record in this state.
   */
  private RequestVoteReplyProto preVote(RequestVoteRequestProto request) {
    RaftRpcRequestProto header = request.getServerRequest();
    RequestVoteReplyProto.Builder reply =
        RequestVoteReplyProto.newBuilder()
            .setServerReply(
                RaftRpcReplyProto.newBuilder()
                    .setRequestorId(header.getRequestorId())
                    .setReplyId(header.getReplyId())
                    .setRaftGroupId(header.getRaftGroupId())
                    .setCallId(header.getCallId())
                    .setSuccess(isUpToDate(request)))
            .setTerm(division.getInfo().getCurrentTerm());
    last.ifPresent(entry -> reply.setLastEntry(entry.toProto()));
    return reply.build();
  }

  /** Whether the candidate's log has at least what this one has (Raft, section 5.4.1). */
  private boolean isUpToDate(RequestVoteRequestProto request) {
    TermIndex candidate = TermIndex.valueOf(request.getCandidateLastEntry());
    return last.filter(entry -> entry.compareTo(candidate) > 0).isEmpty();
  }

  /**
   * Lets Ratis run the replica as a follower: repeats the last heartbeat of the leader of the
   * present term, but as one to a member. If no leader is known, the candidate takes its place,
   * until the vote begins the next term.
   */
  private void run(RaftRpcRequestProto candidate) throws IOException {
    DivisionInfo info = division.getInfo();
    RaftPeerId leader = info.getLeaderId();
    appends.appendEntriesAsync(
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(
                leader == null
                    ? candidate
                    : candidate.toBuilder().setRequestorId(leader.toByteString()).build())
            .setLeaderTerm(info.getCurrentTerm())
            .setLeaderCommit(division.getRaftLog().getLastCommittedIndex())
            .setInitializing(false)
            .build());
  }
}

package io.quorate.ratis.guards;

import io.quorate.common.Failpoint;
import io.quorate.ratis.flow.BoundedAppends;
import io.quorate.ratis.patches.AckGuard;
import io.quorate.ratis.patches.AnnouncedConfiguration;
import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.patches.DurableVote;
import io.quorate.ratis.patches.EmptyLogVote;
import io.quorate.ratis.patches.FailedElectionRequest;
import io.quorate.ratis.patches.FailedLog;
import io.quorate.ratis.patches.LogConfiguration;
import io.quorate.ratis.patches.NewMemberVote;
import io.quorate.ratis.patches.RepeatedAnnouncement;
import io.quorate.ratis.patches.RequestWhileOpening;
import io.quorate.ratis.patches.UnresponsiveDisk;
import io.quorate.ratis.read.LeaseGrants;
import io.quorate.ratis.read.LeaseRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.util.ProtoUtils;

/**
 * The Raft server as its transport sees it: the four requests of other replicas, each with the
 * checks that it passes before Ratis receives it and before the response is sent, and no other
 * call. Append requests with entries enter one at a time.
 */
final class GuardedRaftServer extends DenyingRaftServer {
  /**
   * A request of another replica was received. The subject is its header, which names the sender
   * and the receiver.
   */
  private static final Failpoint REQUEST_RECEIVED = Failpoint.named("raft.request.received");

  /** An append request with entries was received. */
  private static final Failpoint ENTRIES_RECEIVED = Failpoint.named("raft.append.received");

  /** The entries are on disk, and the leader has not received the acknowledgement. */
  private static final Failpoint BEFORE_ACKNOWLEDGEMENT =
      Failpoint.named("raft.append.before-acknowledgement");

  /** A vote is on disk, and the candidate has not received the reply. */
  private static final Failpoint VOTED = Failpoint.named("raft.vote.before-reply");

  private final RaftServer server;
  private final RaftServerAsynchronousProtocol appends;
  private final LeaseGrants leaseGrants;
  private final AppendSequences sequences;
  private final ReplicaCondition condition;

  /**
   * @param server of Ratis
   */
  GuardedRaftServer(
      RaftServer server,
      LeaseGrants leaseGrants,
      AppendSequences sequences,
      ReplicaCondition condition) {
    this.server = server;
    this.appends = new BoundedAppends(server, condition::isFull);
    this.leaseGrants = leaseGrants;
    this.sequences = sequences;
    this.condition = condition;
  }

  @Override
  public RaftPeerId getId() {
    return server.getId();
  }

  @Override
  public RaftServer.Division getDivision(RaftGroupId group) throws IOException {
    return server.getDivision(group);
  }

  @Override
  public CompletableFuture<AppendEntriesReplyProto> appendEntriesAsync(
      AppendEntriesRequestProto request) throws IOException {
    REQUEST_RECEIVED.reached(request.getServerRequest());
    RaftGroupId group = group(request.getServerRequest());
    condition.received(group, request.getEntriesCount() == 0);
    if (!condition.mayWrite(group)) {
      UnresponsiveDisk.reject(server.getDivision(group), request);
    }
    condition.joined(group).require(request);
    RequestWhileOpening.reject(condition.isOpen(group));
    CommittedEntries committed = condition.committed(group);
    Duration leaseDuration = LeaseRequest.of(request);
    if (request.getEntriesCount() > 0) {
      ENTRIES_RECEIVED.reached(group);
    }
    return appendInOrder(group, request, committed)
        .thenApply(
            reply -> {
              try {
                RaftServer.Division division = server.getDivision(group);
                if (request.getEntriesCount() > 0) {
                  BEFORE_ACKNOWLEDGEMENT.reached(division.getMemberId());
                  FailedLog.reject(condition.hasLog(group));
                  DurableVote.reach(division, request.getLeaderTerm());
                }
                return AckGuard.check(
                    division,
                    request,
                    reply,
                    () -> {
                      if (!leaseDuration.isZero()) {
                        leaseGrants.grant(group, leaseDuration);
                      }
                      if (request.getEntriesCount() > 0) {
                        committed.accepted();
                      }
                    });
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
  }

  private CompletableFuture<AppendEntriesReplyProto> appendInOrder(
      RaftGroupId group, AppendEntriesRequestProto request, CommittedEntries committed)
      throws IOException {
    RaftServer.Division division = server.getDivision(group);
    if (request.getEntriesCount() == 0) {
      committed.require(division, request);
      return appends.appendEntriesAsync(request);
    }
    return sequences
        .of(group, division)
        .append(
            () -> {
              committed.require(division, request);
              return LogConfiguration.append(appends, division, request);
            });
  }

  /**
   * Runs alone, because Ratis 3.3.0 may write the same file of the log's directory for two snapshot
   * requests at a time.
   */
  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    REQUEST_RECEIVED.reached(request.getServerRequest());
    RaftGroupId group = group(request.getServerRequest());
    condition.received(group, false);
    RaftServer.Division division = server.getDivision(group);
    RequestWhileOpening.reject(condition.isOpen(group));
    requireDisk(group);
    condition.joined(group).requireBase();
    condition.committed(group).require(division, request);
    InstallSnapshotRequestProto needed = RepeatedAnnouncement.beyondState(division, request);
    return sequences
        .of(group, division)
        .runExclusively(
            () ->
                server.installSnapshot(
                    AnnouncedConfiguration.durable(
                        division, AnnouncedConfiguration.withoutFormer(division, needed))));
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    REQUEST_RECEIVED.reached(request.getServerRequest());
    RaftGroupId group = group(request.getServerRequest());
    condition.received(group, false);
    requireDisk(group);
    condition.joined(group).require(request);
    RaftServer.Division division = server.getDivision(group);
    RequestVoteReplyProto reply =
        NewMemberVote.isNeeded(division, condition.isOpen(group))
            ? new NewMemberVote(server, appends, division, JoinedReplica.lastEntry(division))
                .reply(request)
            : server.requestVote(request);
    boolean isGranted = reply.getServerReply().getSuccess();
    boolean isDurable = request.getPreVote() || isGranted && isDurable(division, request);
    VOTED.reached(group);
    // Checked after the vote: in the term of the vote no older leader is acknowledged any more, so
    // every lease grant that could matter has been recorded by now.
    if (isGranted && (!isDurable || leaseGrants.isActive(group))) {
      RaftRpcReplyProto rejection = reply.getServerReply().toBuilder().setSuccess(false).build();
      return reply.toBuilder().setServerReply(rejection).build();
    }
    return EmptyLogVote.counting(reply);
  }

  private void requireDisk(RaftGroupId group) throws IOException {
    if (!condition.mayWrite(group)) {
      UnresponsiveDisk.reject();
    }
  }

  private static boolean isDurable(RaftServer.Division division, RequestVoteRequestProto request)
      throws IOException {
    return DurableVote.isFor(
        division,
        request.getCandidateTerm(),
        RaftPeerId.valueOf(request.getServerRequest().getRequestorId()));
  }

  /**
   * Starts an election only if no lease grant is active here. A leader that transfers leadership
   * first lets the grants expire; if one is still active, the transfer was abandoned long ago and
   * this request is late, and the lease may be in use again. A replica whose vote requests would be
   * blocked refuses too, so that the leader chooses another one.
   */
  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    RaftRpcRequestProto header = request.getServerRequest();
    REQUEST_RECEIVED.reached(header);
    RaftGroupId group = group(header);
    condition.received(group, false);
    if (!leaseGrants.isActive(group) && sequences.isIdle(group) && condition.mayLead(group)) {
      return server.startLeaderElection(request);
    }
    return FailedElectionRequest.refusal(header);
  }

  private static RaftGroupId group(RaftRpcRequestProto header) {
    return ProtoUtils.toRaftGroupId(header.getRaftGroupId());
  }
}

package io.quorate.ratis.guards;

import io.quorate.common.Failpoint;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.NotificationProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.ProtoUtils;

/**
 * The Raft server as its RPC service sees it: the real server, except that append requests with
 * entries enter one at a time, and that acknowledgements and votes are checked before they are
 * sent.
 *
 * <p>A dynamic proxy, because the interface has dozens of methods and only four are intercepted.
 */
final class GuardedRaftServer implements InvocationHandler {
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
  private final LeaseGrants leaseGrants;
  private final AppendSequences sequences;
  private final ReplicaCondition condition;

  private GuardedRaftServer(
      RaftServer server,
      LeaseGrants leaseGrants,
      AppendSequences sequences,
      GuardedRpcType.Hooks hooks) {
    this.server = server;
    this.leaseGrants = leaseGrants;
    this.sequences = sequences;
    this.condition = hooks.condition();
  }

  static RaftServer around(
      RaftServer server,
      LeaseGrants leaseGrants,
      AppendSequences sequences,
      GuardedRpcType.Hooks hooks) {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            new GuardedRaftServer(server, leaseGrants, sequences, hooks));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (arguments != null && arguments.length == 1) {
      switch (method.getName()) {
        case "appendEntriesAsync":
          return append((AppendEntriesRequestProto) arguments[0]);
        case "requestVote":
          return vote((RequestVoteRequestProto) arguments[0]);
        case "startLeaderElection":
          return startElection((StartLeaderElectionRequestProto) arguments[0]);
        case "installSnapshot":
          return install((InstallSnapshotRequestProto) arguments[0]);
        default:
          break;
      }
    }
    try {
      return method.invoke(server, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private CompletableFuture<AppendEntriesReplyProto> append(AppendEntriesRequestProto request)
      throws IOException {
    REQUEST_RECEIVED.reached(request.getServerRequest());
    RaftGroupId group = group(request.getServerRequest());
    condition.received(group, request.getEntriesCount() == 0);
    requireDisk(group, request);
    condition.joined(group).require(request);
    CommittedEntries committed = condition.committed(group);
    Duration leaseDuration = LeaseRequest.of(request);
    if (request.getEntriesCount() > 0) {
      ENTRIES_RECEIVED.reached(group);
    }
    return appendInOrder(group, request, committed)
        .thenApply(
            reply -> {
              try {
                if (request.getEntriesCount() > 0) {
                  BEFORE_ACKNOWLEDGEMENT.reached(group);
                  requireLog(group);
                  DurableVote.reach(server.getDivision(group), request.getLeaderTerm());
                }
                return AckGuard.check(
                    server.getDivision(group),
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

  /**
   * Rejects a snapshot while the group is being opened. Ratis 3.3.0 installs snapshots in that
   * state, although it rejects entries: before it has read its term it accepts the leader of an
   * older term and overwrites the newer term, and the vote with it; after that, the opening fails,
   * because the election timer is already running. A new member is in that state, too, until it has
   * received its first entries, and may have to install a snapshot before.
   */
  private void requireOpen(RaftGroupId group) throws IOException {
    LifeCycle.State state = server.getDivision(group).getInfo().getLifeCycleState();
    if (state == LifeCycle.State.NEW
        || state == LifeCycle.State.STARTING && !condition.isOpen(group)) {
      throw new ServerNotReadyException("This replica is being opened.");
    }
  }

  /**
   * Rejects a request that needs a write to a disk that does not respond: one with entries or a
   * newer term. Ratis 3.3.0 persists a term under the monitor that all other operations need, and
   * entries would fill its queue. Heartbeats of the current term pass, so that a pause of the disk
   * does not start an election.
   */
  private void requireDisk(RaftGroupId group, AppendEntriesRequestProto request)
      throws IOException {
    if (!condition.mayWrite(group)
        && (request.getEntriesCount() > 0
            || request.getLeaderTerm() > server.getDivision(group).getInfo().getCurrentTerm())) {
      requireDisk(group);
    }
  }

  private void requireDisk(RaftGroupId group) throws IOException {
    if (!condition.mayWrite(group)) {
      throw new ServerNotReadyException(
          "The disk of this replica does not respond; the request is rejected.");
    }
  }

  private void requireLog(RaftGroupId group) throws IOException {
    if (!condition.hasLog(group)) {
      throw new IOException("A write to the log has failed; this replica acknowledges nothing.");
    }
  }

  private CompletableFuture<AppendEntriesReplyProto> appendInOrder(
      RaftGroupId group, AppendEntriesRequestProto request, CommittedEntries committed)
      throws IOException {
    RaftServer.Division division = server.getDivision(group);
    if (request.getEntriesCount() == 0) {
      committed.require(division, request);
      return server.appendEntriesAsync(request);
    }
    return sequences
        .of(group, division)
        .append(
            () -> {
              committed.require(division, request);
              return LogConfiguration.append(server, division, request);
            });
  }

  /**
   * Runs alone, because Ratis 3.3.0 may write the same file of the log's directory for two snapshot
   * requests at a time.
   */
  private InstallSnapshotReplyProto install(InstallSnapshotRequestProto request)
      throws IOException {
    REQUEST_RECEIVED.reached(request.getServerRequest());
    RaftGroupId group = group(request.getServerRequest());
    condition.received(group, false);
    requireOpen(group);
    requireDisk(group);
    condition.joined(group).requireBase();
    RaftServer.Division division = server.getDivision(group);
    condition.committed(group).require(division, request);
    InstallSnapshotRequestProto needed = beyondState(group, request);
    return sequences
        .of(group, division)
        .runExclusively(
            () ->
                server.installSnapshot(
                    LogConfiguration.durable(
                        division, LogConfiguration.withoutFormer(division, needed))));
  }

  /**
   * Announces an entry beyond the one that follows this replica's state. For that one Ratis 3.3.0
   * responds that nothing is to be installed; the leader, whose log does not have the entry before
   * it, cannot send it either and repeats its announcement for ever. A leader's log begins there
   * when the first file of its term is the oldest that it has: a former leader then has a state
   * that ends with the term before.
   */
  private InstallSnapshotRequestProto beyondState(
      RaftGroupId group, InstallSnapshotRequestProto request) throws IOException {
    if (!request.hasNotification()) {
      return request;
    }
    NotificationProto notification = request.getNotification();
    TermIndexProto first = notification.getFirstAvailableTermIndex();
    if (first.getIndex() != server.getDivision(group).getRaftLog().getSnapshotIndex() + 1) {
      return request;
    }
    return request.toBuilder()
        .setNotification(
            notification.toBuilder()
                .setFirstAvailableTermIndex(first.toBuilder().setIndex(first.getIndex() + 1)))
        .build();
  }

  private RequestVoteReplyProto vote(RequestVoteRequestProto request) throws IOException {
    REQUEST_RECEIVED.reached(request.getServerRequest());
    RaftGroupId group = group(request.getServerRequest());
    condition.received(group, false);
    requireDisk(group);
    condition.joined(group).require(request);
    RaftServer.Division division = server.getDivision(group);
    RequestVoteReplyProto reply =
        NewMemberVote.isNeeded(division, condition.isOpen(group))
            ? new NewMemberVote(server, division).reply(request)
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
    return withoutEmptyLog(reply);
  }

  private static boolean isDurable(RaftServer.Division division, RequestVoteRequestProto request)
      throws IOException {
    return DurableVote.isFor(
        division,
        request.getCandidateTerm(),
        RaftPeerId.valueOf(request.getServerRequest().getRequestorId()));
  }

  /**
   * Omits the last entry of an empty log. A candidate of Ratis 3.3.0 that has a commit does not
   * count a vote with such an entry, because the voter may have lost its disk. Here no node takes
   * part with another disk, and a replica whose log is empty has not received its first entries:
   * its vote counts as in Raft, or a majority could be without a leader for ever. Ratis itself
   * omits the entry in older versions, and counts the vote.
   */
  private static RequestVoteReplyProto withoutEmptyLog(RequestVoteReplyProto reply) {
    // Terms begin at 1.
    return reply.getLastEntry().getTerm() == 0 ? reply.toBuilder().clearLastEntry().build() : reply;
  }

  /**
   * Starts an election only if no lease grant is active here. A leader that transfers leadership
   * first lets the grants expire; if one is still active, the transfer was abandoned long ago and
   * this request is late, and the lease may be in use again. A replica whose vote requests would be
   * blocked refuses too, so that the leader chooses another one.
   */
  private StartLeaderElectionReplyProto startElection(StartLeaderElectionRequestProto request)
      throws IOException {
    RaftRpcRequestProto header = request.getServerRequest();
    REQUEST_RECEIVED.reached(header);
    RaftGroupId group = group(header);
    condition.received(group, false);
    if (!leaseGrants.isActive(group) && sequences.isIdle(group) && condition.mayLead(group)) {
      return server.startLeaderElection(request);
    }
    return refusal(header);
  }

  /** The response of a member that does not stand for election. */
  static StartLeaderElectionReplyProto refusal(RaftRpcRequestProto header) {
    return StartLeaderElectionReplyProto.newBuilder()
        .setServerReply(
            RaftRpcReplyProto.newBuilder()
                .setRequestorId(header.getRequestorId())
                .setReplyId(header.getReplyId())
                .setRaftGroupId(header.getRaftGroupId())
                .setCallId(header.getCallId())
                .setSuccess(false))
        .build();
  }

  private static RaftGroupId group(RaftRpcRequestProto header) {
    return ProtoUtils.toRaftGroupId(header.getRaftGroupId());
  }
}

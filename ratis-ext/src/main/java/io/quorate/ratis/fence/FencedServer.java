package io.quorate.ratis.fence;

import io.quorate.failpoint.Failpoint;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto.TypeCase;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.GroupMismatchException;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.ProtoUtils;

/**
 * The Raft server as its RPC service sees it: the real one, with log entries let in one request at
 * a time, and acknowledgements and votes checked on their way out.
 *
 * <p>A dynamic proxy, because the interface has dozens of methods, of which five are looked at.
 */
final class FencedServer implements InvocationHandler {
  /** Entries have come in. */
  private static final Failpoint ENTRIES_RECEIVED = Failpoint.named("raft.append.received");

  /** They are on the disk, and the leader does not know. */
  private static final Failpoint BEFORE_ACKNOWLEDGEMENT =
      Failpoint.named("raft.append.before-acknowledgement");

  /** A vote is on the disk, and the candidate does not know. */
  private static final Failpoint VOTED = Failpoint.named("raft.vote.before-reply");

  private final RaftServer server;
  private final LeasePromises promises;
  private final AppendSequences sequences;
  private final PeerRequests peers;
  private final ReplicaCondition condition;

  private FencedServer(
      RaftServer server,
      LeasePromises promises,
      AppendSequences sequences,
      FencedRpcType.Hooks hooks) {
    this.server = server;
    this.promises = promises;
    this.sequences = sequences;
    this.peers = hooks.peers();
    this.condition = hooks.condition();
  }

  static RaftServer around(
      RaftServer server,
      LeasePromises promises,
      AppendSequences sequences,
      FencedRpcType.Hooks hooks) {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            new FencedServer(server, promises, sequences, hooks));
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
          return stand((StartLeaderElectionRequestProto) arguments[0]);
        case "installSnapshot":
          return install((InstallSnapshotRequestProto) arguments[0]);
        case "submitClientRequestAsync":
          return submit((RaftClientRequest) arguments[0]);
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
    RaftGroupId group = group(request.getServerRequest());
    requireDisk(group, request);
    Duration promise = LeaseRequest.of(request);
    if (request.getEntriesCount() > 0) {
      ENTRIES_RECEIVED.reached(group);
    }
    return letIn(group, request)
        .thenApply(
            reply -> {
              try {
                if (request.getEntriesCount() > 0) {
                  BEFORE_ACKNOWLEDGEMENT.reached(group);
                  requireLog(group);
                }
                return AckGuard.check(
                    server.getDivision(group),
                    request,
                    reply,
                    () -> {
                      if (!promise.isZero()) {
                        promises.keep(group, promise);
                      }
                    });
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
  }

  private CompletableFuture<RaftClientReply> submit(RaftClientRequest request) throws IOException {
    if (!request.is(TypeCase.STALEREAD)) {
      return server.submitClientRequestAsync(request);
    }
    // Where another server has come to an address, it must not speak for the one that is meant.
    if (!request.getServerId().equals(server.getId())) {
      return CompletableFuture.failedFuture(
          new GroupMismatchException(
              "The request is for " + request.getServerId() + ", and this is " + server.getId()));
    }
    ByteBuffer message = request.getMessage().getContent().asReadOnlyByteBuffer();
    if (!peers.concerns(message)) {
      return server.submitClientRequestAsync(request);
    }
    return peers
        .answer(request.getRaftGroupId(), message)
        .thenApply(
            answer ->
                RaftClientReply.newBuilder()
                    .setRequest(request)
                    .setSuccess()
                    .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(answer)))
                    .build());
  }

  /**
   * Ratis 3.3.0 installs snapshots while it still opens a group, unlike what it does with entries:
   * before it has read the term, a leader of the past is recognised and its term written over the
   * newer one, with the vote; and after that the opening fails, because the election timer runs
   * already.
   */
  private void requireOpen(RaftGroupId group) throws IOException {
    LifeCycle.State state = server.getDivision(group).getInfo().getLifeCycleState();
    if (state == LifeCycle.State.NEW || state == LifeCycle.State.STARTING) {
      throw new ServerNotReadyException("This replica is being opened.");
    }
  }

  /**
   * Refuses what would have to be written to a disk that does not respond: entries, and a newer
   * term. Ratis 3.3.0 writes a term down under the monitor that everything else needs, and with
   * entries its queue would fill. Heartbeats within the term pass, so that nobody stands for
   * election because of a pause.
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
          "The disk of this replica does not respond; it has no part in this.");
    }
  }

  private void requireLog(RaftGroupId group) throws IOException {
    if (!condition.hasLog(group)) {
      throw new IOException("A write to the log has failed; this replica acknowledges nothing.");
    }
  }

  private CompletableFuture<AppendEntriesReplyProto> letIn(
      RaftGroupId group, AppendEntriesRequestProto request) throws IOException {
    return request.getEntriesCount() == 0
        ? server.appendEntriesAsync(request)
        : sequence(group).letIn(() -> server.appendEntriesAsync(request));
  }

  /** Ratis 3.3.0 may write the same file of the log's directory for two of these at a time. */
  private InstallSnapshotReplyProto install(InstallSnapshotRequestProto request)
      throws IOException {
    RaftGroupId group = group(request.getServerRequest());
    requireOpen(group);
    requireDisk(group);
    return sequence(group).exclusively(() -> server.installSnapshot(request));
  }

  private AppendSequence sequence(RaftGroupId group) throws IOException {
    return sequences.of(group, server.getDivision(group));
  }

  private RequestVoteReplyProto vote(RequestVoteRequestProto request) throws IOException {
    RaftGroupId group = group(request.getServerRequest());
    requireDisk(group);
    RequestVoteReplyProto reply = server.requestVote(request);
    boolean isGranted = reply.getServerReply().getSuccess();
    if (isGranted && !request.getPreVote()) {
      VoteFile.sync(server.getDivision(group));
    }
    VOTED.reached(group);
    // Asked after the vote: in the term it was cast in, no older leader is acknowledged any more,
    // so every promise that could matter has been noted by now.
    if (isGranted && promises.isBound(group)) {
      RaftRpcReplyProto refused = reply.getServerReply().toBuilder().setSuccess(false).build();
      return reply.toBuilder().setServerReply(refused).build();
    }
    return reply;
  }

  /**
   * A leader that hands over first lets the promises run out. If one is not over, the hand-over was
   * given up long ago and this message comes late; the lease may be in use again. Nor does a
   * replica stand whose requests for votes would not leave: the leader chooses another one.
   */
  private StartLeaderElectionReplyProto stand(StartLeaderElectionRequestProto request)
      throws IOException {
    RaftRpcRequestProto header = request.getServerRequest();
    RaftGroupId group = group(header);
    if (!promises.isBound(group) && sequences.isSettled(group) && condition.mayLead(group)) {
      return server.startLeaderElection(request);
    }
    return refusal(header);
  }

  /** What a member responds that does not stand for election. */
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

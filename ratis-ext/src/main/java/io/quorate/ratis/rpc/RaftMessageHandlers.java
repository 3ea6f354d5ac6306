package io.quorate.ratis.rpc;

import io.quorate.common.DecodeException;
import io.quorate.model.NodeId;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.GroupRequests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.ProtoUtils;

/**
 * Passes the messages of other nodes' replicas to those of this node. Ratis blocks on its locks,
 * its files and its queues, so it is not called on event loops: in order for the log of one group,
 * because a leader sends several append requests at a time; independently for all else.
 * Thread-safe.
 */
public final class RaftMessageHandlers {

  private final RaftServer server;
  private final Following following;
  private final Entries entries;
  private final Executor threads;
  private final GroupOrder order;

  /**
   * @param server receives the messages
   * @param entries looks at the entries of leaders before the server has them
   * @param loops append the entries of leaders that are followed already, which does not block
   * @param threads run what blocks; their number bounds how many groups wait at a time
   */
  public RaftMessageHandlers(
      RaftServer server, Following following, Entries entries, Executor loops, Executor threads) {
    this.server = server;
    this.following = following;
    this.entries = entries;
    this.threads = threads;
    this.order = new GroupOrder(loops, threads);
  }

  /**
   * From now on entries are rejected. Waits for those that are being appended, a second at most: a
   * message that meets a replica which is closing lets Ratis 3.3.0 start a thread that nothing
   * ends.
   */
  public void close() {
    try {
      order.close(TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The handlers of each kind of message, which do not block. */
  public Map<RequestKind, GroupRequests.Handler> byKind() {
    return Map.of(
        RequestKind.APPEND_ENTRIES, this::append,
        RequestKind.REQUEST_VOTE, this::vote,
        RequestKind.START_ELECTION, this::startElection,
        RequestKind.INSTALL_SNAPSHOT, this::installSnapshot);
  }

  private CompletableFuture<ByteBuffer> append(NodeId from, ByteBuffer bytes) {
    AppendEntriesRequestProto request = Encoding.decode(AppendEntriesRequestProto.parser(), bytes);
    requireSender(from, request.getServerRequest());
    RaftGroupId group = ProtoUtils.toRaftGroupId(request.getServerRequest().getRaftGroupId());
    return refused(from, request.getEntriesList())
        .orElseGet(
            () ->
                order.submit(group, new Append(group, from, request)).thenApply(Encoding::encode));
  }

  private Optional<CompletableFuture<ByteBuffer>> refused(
      NodeId from, List<LogEntryProto> received) {
    return entries
        .refusal(from, received)
        .map(reason -> CompletableFuture.failedFuture(new IOException(reason)));
  }

  private final class Append implements GroupOrder.Task<AppendEntriesReplyProto> {
    private final RaftGroupId group;
    private final NodeId from;
    private final AppendEntriesRequestProto request;

    private Append(RaftGroupId group, NodeId from, AppendEntriesRequestProto request) {
      this.group = group;
      this.from = from;
      this.request = request;
    }

    @Override
    public CompletableFuture<AppendEntriesReplyProto> run() throws IOException {
      return server.appendEntriesAsync(request);
    }

    /**
     * A request of the leader that the replica follows changes neither term nor role, which would
     * be written, and would wait for those who do the work of the former role.
     */
    @Override
    public boolean mayBlock() {
      return !following.follows(group, from, request.getLeaderTerm());
    }
  }

  private CompletableFuture<ByteBuffer> vote(NodeId from, ByteBuffer bytes) {
    RequestVoteRequestProto request = Encoding.decode(RequestVoteRequestProto.parser(), bytes);
    requireSender(from, request.getServerRequest());
    return execute(() -> server.requestVote(request));
  }

  private CompletableFuture<ByteBuffer> startElection(NodeId from, ByteBuffer bytes) {
    StartLeaderElectionRequestProto request =
        Encoding.decode(StartLeaderElectionRequestProto.parser(), bytes);
    requireSender(from, request.getServerRequest());
    return execute(() -> server.startLeaderElection(request));
  }

  private CompletableFuture<ByteBuffer> installSnapshot(NodeId from, ByteBuffer bytes) {
    InstallSnapshotRequestProto request =
        Encoding.decode(InstallSnapshotRequestProto.parser(), bytes);
    requireSender(from, request.getServerRequest());
    List<LogEntryProto> members =
        request.hasLastRaftConfigurationLogEntryProto()
            ? List.of(request.getLastRaftConfigurationLogEntryProto())
            : List.of();
    return refused(from, members).orElseGet(() -> execute(() -> server.installSnapshot(request)));
  }

  /** A node sends only messages of its own replicas. */
  private static void requireSender(NodeId from, RaftRpcRequestProto header) {
    String sender = header.getRequestorId().toStringUtf8();
    if (!from.value().equals(sender)) {
      throw new DecodeException("node " + from + " has sent a message of node " + sender);
    }
  }

  /** What this node knows of its replicas. Any thread; does not block. */
  public interface Following {
    /** Whether a replica follows a leader in a term; false while it is opened or closed. */
    boolean follows(RaftGroupId group, NodeId leader, long term);

    /** The same of one replica. */
    static boolean follows(DivisionInfo replica, NodeId leader, long term) {
      return replica.getLifeCycleState() == LifeCycle.State.RUNNING
          && replica.isFollower()
          && replica.getCurrentTerm() == term
          && RaftPeerId.valueOf(leader.value()).equals(replica.getLeaderId());
    }
  }

  /** What this node thinks of the entries of leaders. Any thread; does not block. */
  public interface Entries {
    /** Accepts all. */
    Entries ANY = (from, received) -> Optional.empty();

    /**
     * Why entries must not get to the log, from which nothing removes them once they are committed,
     * or the members that come with a snapshot to the disk; one sentence. Empty if they may.
     */
    Optional<String> refusal(NodeId from, List<LogEntryProto> received);
  }

  /** A call of Ratis that blocks. */
  private interface BlockingCall {
    MessageLite run() throws IOException;
  }

  private CompletableFuture<ByteBuffer> execute(BlockingCall call) {
    CompletableFuture<ByteBuffer> response = new CompletableFuture<>();
    try {
      threads.execute(
          () -> {
            try {
              response.complete(Encoding.encode(call.run()));
            } catch (IOException | RuntimeException | Error e) {
              response.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      response.completeExceptionally(GroupOrder.tooMuchToDo(e));
    }
    return response;
  }
}

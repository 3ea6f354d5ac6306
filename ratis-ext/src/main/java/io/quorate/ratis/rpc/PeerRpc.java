package io.quorate.ratis.rpc;

import io.quorate.common.Budget;
import io.quorate.common.Failures;
import io.quorate.model.NodeId;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.RequestBody;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;

/**
 * Sends the messages of this node's replicas. The connections belong to the transport between
 * nodes, which is started and closed by its owner, and which receives for this node, too.
 * Thread-safe.
 */
public final class PeerRpc
    implements RaftServerRpc, RaftServerAsynchronousProtocol, SnapshotAnnouncements {

  /** The transport between nodes. */
  public interface Transport {
    /**
     * Sends a request to a node. Does not block.
     *
     * @return the response; fails with an {@link IOException}, after a time at the latest
     */
    CompletableFuture<ByteBuffer> send(NodeId to, RequestKind kind, RequestBody body);
  }

  private final RpcType type;
  private final InetSocketAddress listen;
  private final Supplier<Budget> newEntriesBudget;
  private final Transport transport;

  /** The requests with entries that are in flight to each node. */
  private final Map<NodeId, Budget> entriesInFlight = new ConcurrentHashMap<>();

  /**
   * @param listen the address of this node, which Ratis reports
   * @param newEntriesBudget creates the bound on the requests with entries of all groups that are
   *     in flight to a node; below that of the transport, which must have capacity for heartbeats
   *     and votes beside entries that a slow disk does not acknowledge
   */
  public PeerRpc(
      RpcType type,
      InetSocketAddress listen,
      Supplier<Budget> newEntriesBudget,
      Transport transport) {
    this.type = type;
    // Ratis wants its text only, and would look up the name of an address.
    this.listen = InetSocketAddress.createUnresolved(listen.getHostString(), listen.getPort());
    this.newEntriesBudget = newEntriesBudget;
    this.transport = transport;
  }

  /**
   * Sends log entries or a heartbeat. Does not block.
   *
   * @return the response, completed on an event loop; fails with an {@link IOException}
   */
  @Override
  public CompletableFuture<AppendEntriesReplyProto> appendEntriesAsync(
      AppendEntriesRequestProto request) {
    if (request.getEntriesCount() == 0) {
      return sendAppend(request);
    }
    NodeId to = receiver(request.getServerRequest());
    Budget inFlight = entriesInFlight.computeIfAbsent(to, node -> newEntriesBudget.get());
    int size = request.getSerializedSize();
    if (!inFlight.tryAcquire(size)) {
      return CompletableFuture.failedFuture(
          new IOException("Node " + to + " has not acknowledged as many entries as it may."));
    }
    CompletableFuture<AppendEntriesReplyProto> response = null;
    try {
      response = sendAppend(request);
    } finally {
      if (response == null) {
        inFlight.release(size);
      }
    }
    response.whenComplete((reply, failure) -> inFlight.release(size));
    return response;
  }

  private CompletableFuture<AppendEntriesReplyProto> sendAppend(AppendEntriesRequestProto request) {
    return send(
        RequestKind.APPEND_ENTRIES,
        request.getServerRequest(),
        request,
        AppendEntriesReplyProto.parser());
  }

  /** Sends a vote request and blocks until the voter responds. */
  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    return await(
        send(
            RequestKind.REQUEST_VOTE,
            request.getServerRequest(),
            request,
            RequestVoteReplyProto.parser()));
  }

  /** Announces a snapshot and blocks until the follower responds. */
  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    return await(installSnapshotAsync(request));
  }

  @Override
  public CompletableFuture<InstallSnapshotReplyProto> installSnapshotAsync(
      InstallSnapshotRequestProto request) {
    return send(
        RequestKind.INSTALL_SNAPSHOT,
        request.getServerRequest(),
        request,
        InstallSnapshotReplyProto.parser());
  }

  /** Requests a member to stand for election and blocks until it responds. */
  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    return await(
        send(
            RequestKind.START_ELECTION,
            request.getServerRequest(),
            request,
            StartLeaderElectionReplyProto.parser()));
  }

  /** As {@link #appendEntriesAsync}, but blocks. */
  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    return await(appendEntriesAsync(request));
  }

  /**
   * Fails. Ratis' interface of append requests requires the method, and Ratis calls it only for
   * reads at followers through itself, which the properties of the engine exclude: reads go through
   * {@code ratis.read} and {@code ratis.quorum}.
   */
  @Override
  public CompletableFuture<ReadIndexReplyProto> readIndexAsync(ReadIndexRequestProto request) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("Reads do not go through Ratis."));
  }

  private <T> CompletableFuture<T> send(
      RequestKind kind, RaftRpcRequestProto header, MessageLite request, Parser<T> parser) {
    return transport
        .send(receiver(header), kind, new Encoding.Outgoing(request))
        .thenApply(response -> Encoding.decode(parser, response));
  }

  private static NodeId receiver(RaftRpcRequestProto header) {
    return new NodeId(header.getReplyId().toStringUtf8());
  }

  private static <T> T await(CompletableFuture<T> response) throws IOException {
    try {
      return response.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while a member was to respond.");
      interrupted.initCause(e);
      throw interrupted;
    } catch (ExecutionException e) {
      Throwable cause = Failures.unwrap(e);
      throw new IOException(cause.getMessage(), cause);
    }
  }

  @Override
  public RaftServerAsynchronousProtocol async() {
    return this;
  }

  @Override
  public RpcType getRpcType() {
    return type;
  }

  @Override
  public InetSocketAddress getInetSocketAddress() {
    return listen;
  }

  @Override
  public void start() {
    // The transport is started before.
  }

  @Override
  public void addRaftPeers(Collection<RaftPeer> peers) {
    // The members of each group are connected when they are known, which is before or as soon as
    // Ratis knows them.
  }

  @Override
  public void addRaftPeers(RaftPeer... peers) {
    // As above.
  }

  @Override
  public void handleException(RaftPeerId server, Exception failure, boolean reconnect) {
    // The transport reconnects.
  }

  @Override
  public void close() {
    // The transport is closed by its owner.
  }
}

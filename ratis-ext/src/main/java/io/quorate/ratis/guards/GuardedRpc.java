package io.quorate.ratis.guards;

import io.quorate.ratis.patches.AppendSequence;
import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.patches.DurableVote;
import io.quorate.ratis.patches.Elections;
import io.quorate.ratis.patches.FailedElectionRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.util.ProtoUtils;

/**
 * The outgoing requests of this server: vote requests are checked before they are sent, and a
 * failed request to start an election becomes a refusal. Each method of the interface is here,
 * those with a default, too.
 *
 * <p>A candidate whose vote requests are blocked loses the election as if no voter had responded:
 * it does not become leader, and because the pre-vote fails first, its term does not advance. A
 * candidate sends no vote request while append requests of a leader are in flight into its log: see
 * {@link AppendSequence}. When a vote request is sent, the candidate's term is therefore higher
 * than that of any leader whose entries could still enter. A replica that could not lead sends no
 * vote request either, so that a leader with a hung disk is not elected again.
 */
final class GuardedRpc implements RaftServerRpc {
  private final RaftServerRpc rpc;
  private final RaftServer server;
  private final AppendSequences sequences;
  private final Elections elections;
  private final ReplicaCondition condition;
  private final Consumer<RaftGroupId> removed;

  GuardedRpc(
      RaftServerRpc rpc,
      RaftServer server,
      AppendSequences sequences,
      Elections elections,
      GuardedRpcType.Hooks hooks) {
    this.rpc = rpc;
    this.server = server;
    this.sequences = sequences;
    this.elections = elections;
    this.condition = hooks.condition();
    this.removed = hooks.removed();
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(
      StartLeaderElectionRequestProto request) {
    return FailedElectionRequest.send(rpc, request);
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    return rpc.installSnapshot(request);
  }

  /** Entries and heartbeats, which need no check where they are sent. */
  @Override
  public RaftServerAsynchronousProtocol async() {
    return rpc.async();
  }

  /** Is not called: entries are sent by {@link #async}. */
  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) {
    throw new UnsupportedOperationException("Entries are sent by async().");
  }

  @Override
  public void start() throws IOException {
    rpc.start();
  }

  @Override
  public void close() throws IOException {
    rpc.close();
  }

  @Override
  public RpcType getRpcType() {
    return rpc.getRpcType();
  }

  @Override
  public InetSocketAddress getInetSocketAddress() {
    return rpc.getInetSocketAddress();
  }

  @Override
  public InetSocketAddress getClientServerAddress() {
    return rpc.getClientServerAddress();
  }

  @Override
  public InetSocketAddress getAdminServerAddress() {
    return rpc.getAdminServerAddress();
  }

  @Override
  public void addRaftPeers(Collection<RaftPeer> peers) {
    rpc.addRaftPeers(peers);
  }

  @Override
  public void addRaftPeers(RaftPeer... peers) {
    rpc.addRaftPeers(peers);
  }

  @Override
  public void handleException(RaftPeerId to, Exception failure, boolean reconnect) {
    rpc.handleException(to, failure, reconnect);
  }

  @Override
  public void notifyNotLeader(RaftGroupId group) {
    rpc.notifyNotLeader(group);
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    RaftRpcRequestProto header = request.getServerRequest();
    RaftGroupId group = ProtoUtils.toRaftGroupId(header.getRaftGroupId());
    if (!sequences.isIdle(group)) {
      throw new IOException(
          "Entries of a leader are on their way into the log; no vote is requested");
    }
    if (!condition.mayLead(group)) {
      throw new IOException("This replica could not lead; no vote is requested");
    }
    RequestVoteReplyProto reply =
        request.getPreVote() ? rpc.requestVote(request) : requestVote(group, request);
    if (reply.getShouldShutdown()) {
      // Ratis closes the replica when it has this reply, as it does after a failure.
      removed.accept(group);
    }
    return reply;
  }

  private RequestVoteReplyProto requestVote(RaftGroupId group, RequestVoteRequestProto request)
      throws IOException {
    RaftServer.Division division = server.getDivision(group);
    long term = request.getCandidateTerm();
    if (!DurableVote.isFor(division, term, division.getId())) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "This replica's vote for itself in term %d is not on its disk; no vote is requested",
              term));
    }
    RequestVoteReplyProto reply = rpc.requestVote(request);
    if (reply.getServerReply().getSuccess() && reply.getTerm() <= term) {
      elections
          .of(group, division)
          .add(term, RaftPeerId.valueOf(reply.getServerReply().getReplyId()));
    }
    return reply;
  }
}

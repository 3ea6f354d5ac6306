package io.quorate.ratis.guards;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.util.ProtoUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outgoing requests of this server: vote requests are checked before they are sent, and a
 * failed request to start an election becomes a refusal.
 *
 * <p>A candidate whose vote requests are blocked loses the election as if no voter had responded:
 * it does not become leader, and because the pre-vote fails first, its term does not advance. A
 * candidate sends no vote request while append requests of a leader are in flight into its log: see
 * {@link AppendSequence}. When a vote request is sent, the candidate's term is therefore higher
 * than that of any leader whose entries could still enter. A replica that could not lead sends no
 * vote request either, so that a leader with a hung disk is not elected again.
 */
public final class GuardedRpc implements InvocationHandler {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedRpc.class);

  private final RaftServerRpc rpc;
  private final RaftServer server;
  private final AppendSequences sequences;
  private final Elections elections;
  private final ReplicaCondition condition;
  private final Consumer<RaftGroupId> removed;

  private GuardedRpc(
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

  static RaftServerRpc around(
      RaftServerRpc rpc,
      RaftServer server,
      AppendSequences sequences,
      Elections elections,
      GuardedRpcType.Hooks hooks) {
    return (RaftServerRpc)
        Proxy.newProxyInstance(
            RaftServerRpc.class.getClassLoader(),
            new Class<?>[] {RaftServerRpc.class},
            new GuardedRpc(rpc, server, sequences, elections, hooks));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("requestVote")) {
      return requestVote((RequestVoteRequestProto) arguments[0]);
    }
    if (method.getName().equals("startLeaderElection")) {
      return startLeaderElection((StartLeaderElectionRequestProto) arguments[0]);
    }
    try {
      return method.invoke(rpc, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /**
   * Turns a failed request into a refusal of the member. After a failure that is reported at once,
   * Ratis would leave the leader in the middle of the leadership transfer for ever, rejecting all
   * writes until another leader is elected; after a refusal the transfer ends with its timeout.
   */
  private StartLeaderElectionReplyProto startLeaderElection(
      StartLeaderElectionRequestProto request) {
    try {
      return rpc.startLeaderElection(request);
    } catch (IOException | RuntimeException e) {
      // Whatever the reason, Ratis must not see it.
      LOG.debug("A member did not respond to a request to start an election", e);
      return GuardedRaftServer.refusal(request.getServerRequest());
    }
  }

  private RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
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

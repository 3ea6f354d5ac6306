package io.quorate.ratis.fence;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.util.ProtoUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of this server to others, with those for votes checked on their way out, and a
 * request to lead that fails turned into a refusal.
 *
 * <p>A candidate whose requests do not leave loses the election as if nobody had answered: it
 * neither leads nor, as the vote in advance (pre-vote) fails first, advances its term. That it lets
 * none out while requests of a leader are under way into its log is a fence: see {@link
 * AppendSequence}. By the time a request for a vote leaves, the candidate's term is higher than
 * that of any leader whose entries could still enter. That a replica which could not lead lets none
 * out keeps a leader with a hung disk from coming back.
 */
public final class FencedRpc implements InvocationHandler {
  private static final Logger LOG = LoggerFactory.getLogger(FencedRpc.class);

  private final GrpcServices rpc;
  private final RaftServer server;
  private final AppendSequences sequences;
  private final ReplicaCondition condition;

  private FencedRpc(
      GrpcServices rpc, RaftServer server, AppendSequences sequences, ReplicaCondition condition) {
    this.rpc = rpc;
    this.server = server;
    this.sequences = sequences;
    this.condition = condition;
  }

  static GrpcServices around(
      GrpcServices rpc, RaftServer server, AppendSequences sequences, ReplicaCondition condition) {
    return (GrpcServices)
        Proxy.newProxyInstance(
            GrpcServices.class.getClassLoader(),
            new Class<?>[] {GrpcServices.class},
            new FencedRpc(rpc, server, sequences, condition));
  }

  /** What is behind the fence, if there is one: senders of log entries need the type itself. */
  public static GrpcServicesImpl unwrap(RaftServerRpc rpc) {
    return (GrpcServicesImpl)
        (Proxy.isProxyClass(rpc.getClass())
            ? ((FencedRpc) Proxy.getInvocationHandler(rpc)).rpc
            : rpc);
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
   * A member that cannot be reached refuses to lead. Ratis would otherwise leave the leader in the
   * middle of the hand-over for ever, where this fails at once: it refuses all writes until another
   * leads. A refusal ends with the hand-over's time.
   */
  private StartLeaderElectionReplyProto startLeaderElection(
      StartLeaderElectionRequestProto request) {
    try {
      return rpc.startLeaderElection(request);
    } catch (IOException | RuntimeException e) {
      // What gRPC throws is not always an IOException.
      LOG.debug("A member did not respond to a request to lead", e);
      return FencedServer.refusal(request.getServerRequest());
    }
  }

  private RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    RaftRpcRequestProto header = request.getServerRequest();
    RaftGroupId group = ProtoUtils.toRaftGroupId(header.getRaftGroupId());
    if (!sequences.isSettled(group)) {
      throw new IOException("Entries of a leader are on their way into the log; no vote is sought");
    }
    if (!condition.mayLead(group)) {
      throw new IOException("This replica could not lead; no vote is sought");
    }
    if (!request.getPreVote()) {
      // A candidate votes for itself.
      VoteFile.sync(server.getDivision(group));
    }
    return rpc.requestVote(request);
  }
}

package io.quorate.ratis.patches;

import java.io.IOException;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.server.protocol.RaftServerProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a failed request to start an election into a refusal of the member. After a failure that is
 * reported at once, Ratis 3.3.0 would leave the leader in the middle of the leadership transfer for
 * ever, rejecting all writes until another leader is elected; after a refusal the transfer ends
 * with its timeout.
 *
 * <p>Upstream: not reported. Fails without it: {@code GuardedRpcTest}. Can go when a leadership
 * transfer of Ratis ends if the request to its target fails.
 */
public final class FailedElectionRequest {
  private static final Logger LOG = LoggerFactory.getLogger(FailedElectionRequest.class);

  private FailedElectionRequest() {}

  /** Sends the request and blocks until the member responds; a failure is its refusal. */
  public static StartLeaderElectionReplyProto send(
      RaftServerProtocol members, StartLeaderElectionRequestProto request) {
    try {
      return members.startLeaderElection(request);
    } catch (IOException | RuntimeException e) {
      // Whatever the reason, Ratis must not see it.
      LOG.debug("A member did not respond to a request to start an election", e);
      return refusal(request.getServerRequest());
    }
  }

  /** The response of a member that does not stand for election. */
  public static StartLeaderElectionReplyProto refusal(RaftRpcRequestProto header) {
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
}

package io.quorate.ratis.quorum;

import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.LatencyAwareSelector;
import io.quorate.quorum.ReadReply;
import io.quorate.replication.quorum.QuorumReadCodec;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.RequestTimeout;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;

/** The other replicas of a group, as receivers of read requests. Thread-safe. */
final class Peers {
  private final RaftServer.Division division;
  private final GroupRequests requests;
  private final RequestTimeout timeout;
  private final LatencyAwareSelector selector;

  /**
   * @param timeout how long a request waits for its response
   */
  Peers(
      RaftServer.Division division,
      GroupRequests requests,
      RequestTimeout timeout,
      LatencyAwareSelector selector) {
    this.division = division;
    this.requests = requests;
    this.timeout = timeout;
    this.selector = selector;
  }

  /**
   * The order in which to request read replies: the followers that are likely to respond soonest,
   * then the leader, then those that did not respond recently (L2).
   */
  List<NodeId> order() {
    RaftPeerId leader = division.getInfo().getLeaderId();
    List<NodeId> followers = new ArrayList<>();
    boolean hasLeader = false;
    for (RaftPeer peer : division.getRaftConf().getCurrentPeers()) {
      if (peer.getId().equals(leader)) {
        hasLeader = !leader.equals(division.getId());
      } else if (!peer.getId().equals(division.getId())) {
        followers.add(node(peer.getId()));
      }
    }
    long now = System.nanoTime();
    List<NodeId> order = new ArrayList<>(selector.order(followers, now));
    if (hasLeader) {
      long responsive = order.stream().filter(node -> !selector.isDoubted(node, now)).count();
      order.add((int) responsive, node(leader));
    }
    return order;
  }

  /** Records that a replica has not responded in time. */
  void reportTimeout(NodeId node) {
    selector.failed(node, System.nanoTime());
  }

  /** Completes with no read reply if the other replica may not give any. */
  CompletableFuture<List<ReadReply<Void>>> requestReplies(NodeId node, List<KeyScope> scopes) {
    return send(node, RequestKind.READ_REPLIES, QuorumReadCodec.request(scopes))
        .thenApply(
            response -> response.body().map(body -> replies(node, body, scopes)).orElse(List.of()));
  }

  private static List<ReadReply<Void>> replies(
      NodeId node, ByteBuffer bytes, List<KeyScope> scopes) {
    try {
      return QuorumReadCodec.readResponse(node, scopes.size(), bytes);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  CompletableFuture<Position> requestReadIndex(RaftPeerId leader) {
    return send(node(leader), RequestKind.READ_INDEX, ByteBuffer.allocate(0))
        .handle(
            (response, failure) -> {
              if (failure != null) {
                throw new ConsensusException.Unavailable(
                    "The leader "
                        + leader
                        + " confirmed no read index: "
                        + Failures.unwrap(failure).getMessage());
              }
              return response
                  .body()
                  .map(Peers::position)
                  .orElseThrow(() -> new ConsensusException.Unavailable(response.reason()));
            });
  }

  private static Position position(ByteBuffer from) {
    try {
      return Position.read(from);
    } catch (BufferUnderflowException e) {
      throw new ConsensusException.Unavailable("The leader's response ends early.");
    }
  }

  private CompletableFuture<ReadResponse> send(NodeId to, RequestKind kind, ByteBuffer body) {
    if (division.getRaftConf().getPeer(RaftPeerId.valueOf(to.value())) == null) {
      return CompletableFuture.failedFuture(new IOException(to + " is no longer a member."));
    }
    long sentNanos = System.nanoTime();
    return requests
        .call(to, kind.code(), List.of(body), timeout)
        .handle(
            (bytes, failure) -> {
              long now = System.nanoTime();
              if (failure != null) {
                selector.failed(to, now);
                throw new CompletionException(failure);
              }
              try {
                ReadResponse response = ReadResponse.decode(bytes);
                selector.responded(to, now - sentNanos, response.load(), now);
                return response;
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
  }

  private static NodeId node(RaftPeerId id) {
    return new NodeId(id.toString());
  }
}

package io.quorate.ratis.quorum;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.ReplicaLoads;
import io.quorate.consensus.quorum.Share;
import io.quorate.consensus.quorum.ShareExchange;
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

/** The other replicas of a group, as far as reads ask them. Thread-safe. */
final class Peers {
  private final RaftServer.Division division;
  private final PeerChannel channel;
  private final ReplicaLoads loads;

  Peers(RaftServer.Division division, PeerChannel channel, ReplicaLoads loads) {
    this.division = division;
    this.channel = channel;
    this.loads = loads;
  }

  /**
   * Whom to ask for shares: the followers that are likely to answer soonest, then the leader, then
   * those that did not answer lately (L2).
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
    List<NodeId> order = new ArrayList<>(loads.order(followers, now));
    if (hasLeader) {
      long trusted = order.stream().filter(node -> !loads.isDoubted(node, now)).count();
      order.add((int) trusted, node(leader));
    }
    return order;
  }

  /** It was overdue to hear from a replica. */
  void late(NodeId node) {
    loads.failed(node, System.nanoTime());
  }

  /** Completes with no share where the other one may not answer. */
  CompletableFuture<List<Share<Void>>> askShares(NodeId node, List<KeyScope> scopes) {
    return ask(RaftPeerId.valueOf(node.value()), PeerMessage.SHARES, ShareExchange.request(scopes))
        .thenApply(answer -> answer.given().map(of -> shares(node, of, scopes)).orElse(List.of()));
  }

  private static List<Share<Void>> shares(NodeId node, ByteBuffer bytes, List<KeyScope> scopes) {
    try {
      return ShareExchange.readAnswer(node, scopes.size(), bytes);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  CompletableFuture<Position> askReadIndex(RaftPeerId leader) {
    return ask(leader, PeerMessage.READ_INDEX, ByteBuffer.allocate(0))
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                throw new ConsensusException.Unavailable(
                    "The leader " + leader + " did not confirm an index in time.");
              }
              return answer
                  .given()
                  .map(Peers::position)
                  .orElseThrow(() -> new ConsensusException.Unavailable(answer.why()));
            });
  }

  private static Position position(ByteBuffer from) {
    try {
      return new Position(from.getLong(), from.getLong());
    } catch (BufferUnderflowException e) {
      throw new ConsensusException.Unavailable("The leader's answer ends early.");
    }
  }

  private CompletableFuture<PeerMessage.Answer> ask(RaftPeerId to, byte kind, ByteBuffer body) {
    RaftPeer peer = division.getRaftConf().getPeer(to);
    if (peer == null) {
      return CompletableFuture.failedFuture(new IOException(to + " is no member any more."));
    }
    long askedNanos = System.nanoTime();
    return channel
        .ask(division.getGroup().getGroupId(), peer, PeerMessage.question(kind, body))
        .handle(
            (bytes, failure) -> {
              long now = System.nanoTime();
              if (failure != null) {
                loads.failed(node(to), now);
                throw new CompletionException(failure);
              }
              try {
                PeerMessage.Answer answer = PeerMessage.readAnswer(bytes);
                loads.answered(node(to), now - askedNanos, answer.load(), now);
                return answer;
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
  }

  private static NodeId node(RaftPeerId id) {
    return new NodeId(id.toString());
  }
}

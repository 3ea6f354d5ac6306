package io.quorate.replication.transport;

import io.quorate.model.NodeId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/**
 * Tracks which peers have sent anything lately, on any connection and for any group. Peers send
 * keep-alives on idle connections, so a peer that sends nothing has lost its process or its link.
 * Any thread; {@link #check} by one thread.
 */
final class PeerLiveness {
  /** The number of checks in a row without a frame after which a peer is unreachable. */
  private static final int MISSES_MAX = 4;

  private static final class Peer {
    volatile boolean received = true;

    /** Accessed only by the checking thread. */
    int misses;
  }

  private final ConcurrentMap<NodeId, Peer> peers = new ConcurrentHashMap<>();
  private volatile Set<NodeId> reachable = Set.of();

  /** Records that the peer has sent a frame. */
  void received(NodeId node) {
    Peer peer = peers.get(node);
    if (peer == null) {
      peers.putIfAbsent(node, new Peer());
    } else if (!peer.received) {
      // Written once between two checks, not for every frame.
      peer.received = true;
    }
  }

  /** The reachable peers as of the last check. */
  Set<NodeId> reachable() {
    return reachable;
  }

  /**
   * Updates the reachable peers; called at regular intervals.
   *
   * @return whether {@link #reachable} has changed
   */
  boolean check() {
    peers
        .values()
        .forEach(
            peer -> {
              peer.misses = peer.received ? 0 : peer.misses + 1;
              peer.received = false;
            });
    Set<NodeId> before = reachable;
    reachable =
        peers.entrySet().stream()
            .filter(entry -> entry.getValue().misses < MISSES_MAX)
            .map(entry -> entry.getKey())
            .collect(Collectors.toUnmodifiableSet());
    return !reachable.equals(before);
  }
}

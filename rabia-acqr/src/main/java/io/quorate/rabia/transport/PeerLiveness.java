package io.quorate.rabia.transport;

import io.quorate.consensus.NodeId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/**
 * Which peers have sent anything lately, on whatever connection and for whatever group. Peers send
 * keep-alives on idle connections, so that silence means a process or a link that is gone. Any
 * thread, {@link #check} by one.
 */
final class PeerLiveness {
  /** How many checks in a row may find nothing before a peer counts as unreachable. */
  private static final int MISSES_MAX = 4;

  private static final class Peer {
    volatile boolean received = true;

    /** The checking thread's own. */
    int misses;
  }

  private final ConcurrentMap<NodeId, Peer> peers = new ConcurrentHashMap<>();
  private volatile Set<NodeId> reachable = Set.of();

  /** The peer has sent something. */
  void received(NodeId node) {
    Peer peer = peers.get(node);
    if (peer == null) {
      peers.putIfAbsent(node, new Peer());
    } else if (!peer.received) {
      // Written once between two checks, not for every frame.
      peer.received = true;
    }
  }

  /** The peers that were found alive by the last check. */
  Set<NodeId> reachable() {
    return reachable;
  }

  /**
   * Finds out who is alive; to be called at regular intervals.
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

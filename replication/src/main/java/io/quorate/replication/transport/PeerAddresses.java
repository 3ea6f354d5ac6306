package io.quorate.replication.transport;

import io.quorate.model.NodeId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Where a peer may be. The address that is known best is tried first, and another one after each
 * failure: a node that has moved is found at its new address although the other nodes have not
 * learnt it, or only they have. Any thread.
 */
final class PeerAddresses {
  private final NodeId peer;
  private final Function<NodeId, List<InetSocketAddress>> known;
  private volatile InetSocketAddress linked;

  /**
   * @param known the addresses of a node, the most likely first; does not block
   * @param linked the address with which the peer was linked, which is tried last
   */
  PeerAddresses(
      NodeId peer, Function<NodeId, List<InetSocketAddress>> known, InetSocketAddress linked) {
    this.peer = peer;
    this.known = known;
    this.linked = linked;
  }

  InetSocketAddress linked() {
    return linked;
  }

  void link(InetSocketAddress address) {
    linked = address;
  }

  /**
   * The address to connect to next.
   *
   * @param failures the number of attempts that failed since the last connection
   */
  InetSocketAddress after(int failures) {
    List<InetSocketAddress> all =
        Stream.concat(known.apply(peer).stream(), Stream.of(linked)).distinct().toList();
    return all.get(Math.floorMod(failures, all.size()));
  }
}

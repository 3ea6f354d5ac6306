package io.quorate.ratis.health;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While a group of this node has no leader, logs which nodes of it cannot be reached, and why. Each
 * change is one line. Blocks, also to look a name up. Not thread-safe.
 */
public final class PeerProbe {
  private static final Logger LOG = LoggerFactory.getLogger(PeerProbe.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(500);

  /** A change of what is known of one node. */
  record Change(Member peer, Optional<String> obstacle) {}

  private final Map<NodeId, String> obstacles = new HashMap<>();

  /**
   * Looks once.
   *
   * @param awaited the other members of the groups that have no leader
   */
  public void look(Collection<Member> awaited) {
    obstacles.keySet().retainAll(awaited.stream().map(Member::node).toList());
    for (Member peer : awaited) {
      observe(peer, obstacle(peer.address())).ifPresent(PeerProbe::log);
    }
  }

  private static void log(Change change) {
    Member peer = change.peer();
    String address = peer.address().getHostString() + ":" + peer.address().getPort();
    if (change.obstacle().isPresent()) {
      LOG.warn(
          "Cannot connect to a node, trying on peer={} address={}: {}",
          peer.node(),
          address,
          change.obstacle().get());
    } else {
      LOG.info("A node can be reached peer={} address={}", peer.node(), address);
    }
  }

  Optional<Change> observe(Member peer, Optional<String> obstacle) {
    String before =
        obstacle.isPresent()
            ? obstacles.put(peer.node(), obstacle.get())
            : obstacles.remove(peer.node());
    return Optional.ofNullable(before).equals(obstacle)
        ? Optional.empty()
        : Optional.of(new Change(peer, obstacle));
  }

  /** Why the address cannot be connected to. Blocks. */
  static Optional<String> obstacle(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(address.getHostString(), address.getPort()),
          (int) CONNECT_TIMEOUT.toMillis());
      return Optional.empty();
    } catch (UnknownHostException e) {
      return Optional.of("unknown host");
    } catch (SocketTimeoutException e) {
      return Optional.of("no response within " + CONNECT_TIMEOUT.toMillis() + " ms");
    } catch (IOException e) {
      return Optional.of(Optional.ofNullable(e.getMessage()).orElseGet(e::toString));
    }
  }
}

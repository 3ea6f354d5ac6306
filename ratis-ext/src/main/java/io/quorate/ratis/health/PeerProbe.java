package io.quorate.ratis.health;

import io.quorate.common.HostPort;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.net.InetAddress;
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
 * Logs which nodes cannot be reached, and why, while a group of this node has no leader: one line
 * for each change. Blocks, also for name resolution. Not thread-safe.
 */
public final class PeerProbe {
  private static final Logger LOG = LoggerFactory.getLogger(PeerProbe.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(500);

  /** A change of the reachability of one node; without a failure, the node is reachable. */
  record Change(Member peer, Optional<String> failure) {}

  private final Map<NodeId, String> failures = new HashMap<>();

  /**
   * Probes each node once.
   *
   * @param awaited the other members of the groups that have no leader
   */
  public void look(Collection<Member> awaited) {
    failures.keySet().retainAll(awaited.stream().map(Member::node).toList());
    for (Member peer : awaited) {
      observe(peer, connectFailure(peer.address())).ifPresent(PeerProbe::log);
    }
  }

  private static void log(Change change) {
    Member peer = change.peer();
    String address = HostPort.text(peer.address());
    if (change.failure().isPresent()) {
      LOG.warn(
          "Cannot connect to a node, trying on peer={} address={}: {}",
          peer.node(),
          address,
          change.failure().get());
    } else {
      LOG.info("A node can be reached peer={} address={}", peer.node(), address);
    }
  }

  Optional<Change> observe(Member peer, Optional<String> failure) {
    String before =
        failure.isPresent()
            ? failures.put(peer.node(), failure.get())
            : failures.remove(peer.node());
    return Optional.ofNullable(before).equals(failure)
        ? Optional.empty()
        : Optional.of(new Change(peer, failure));
  }

  /**
   * The reason why connections to all addresses of a host fail; empty if one succeeds. Blocks.
   *
   * @param address the host need not have been looked up
   */
  static Optional<String> connectFailure(InetSocketAddress address) {
    Optional<String> failure = Optional.empty();
    try {
      for (InetAddress each : InetAddress.getAllByName(address.getHostString())) {
        failure = failureOf(new InetSocketAddress(each, address.getPort()));
        if (failure.isEmpty()) {
          break;
        }
      }
      return failure;
    } catch (UnknownHostException e) {
      return Optional.of("unknown host");
    }
  }

  private static Optional<String> failureOf(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, (int) CONNECT_TIMEOUT.toMillis());
      return Optional.empty();
    } catch (SocketTimeoutException e) {
      return Optional.of("no response within " + CONNECT_TIMEOUT.toMillis() + " ms");
    } catch (IOException e) {
      return Optional.of(Optional.ofNullable(e.getMessage()).orElseGet(e::toString));
    }
  }
}

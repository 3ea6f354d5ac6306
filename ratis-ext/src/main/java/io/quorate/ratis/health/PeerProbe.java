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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While a group of this node has no leader, logs which nodes of it cannot be reached, and why. Each
 * change is one line. On a thread of its own, because looking a name up blocks.
 */
public final class PeerProbe implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerProbe.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(500);

  /** A change of what is known of one node. */
  record Change(Member peer, Optional<String> obstacle) {}

  private final Supplier<Collection<Member>> awaited;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread own = new Thread(task, "raft-peer-probe");
            own.setDaemon(true);
            return own;
          });
  private final Map<NodeId, String> obstacles = new HashMap<>();

  /**
   * @param awaited the other members of the groups that have no leader; any thread
   */
  public PeerProbe(Supplier<Collection<Member>> awaited) {
    this.awaited = awaited;
  }

  /** Looks from now on, this often; an election between two looks is none of its business. */
  public void start(Duration interval) {
    thread.scheduleWithFixedDelay(
        this::run, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run() {
    try {
      Collection<Member> peers = awaited.get();
      for (Member peer : peers) {
        observe(peer, obstacle(peer.address())).ifPresent(PeerProbe::log);
      }
      if (peers.isEmpty()) {
        obstacles.clear();
      }
    } catch (RuntimeException e) {
      LOG.warn("Other nodes could not be probed", e);
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

  @Override
  public void close() {
    thread.shutdownNow();
  }
}

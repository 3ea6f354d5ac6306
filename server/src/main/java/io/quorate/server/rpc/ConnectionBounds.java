package io.quorate.server.rpc;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds the connections of clients: all together, and those of one address, so that one machine
 * cannot keep out all others. A few more are held for long enough to be told why they are refused.
 * Any thread.
 */
final class ConnectionBounds {
  /** Connections beyond the bound that receive a refusal; further ones are closed without one. */
  private static final int REFUSED_MAX = 256;

  private final int connectionsMax;
  private final int addressMax;
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger admitted = new AtomicInteger();
  private final ConcurrentMap<String, Integer> byAddress = new ConcurrentHashMap<>();

  /** What happens to a new connection. */
  sealed interface Decision {
    record Admit() implements Decision {}

    /** It is to be told the reason, and closed. */
    record Refuse(String reason) implements Decision {}

    record Close() implements Decision {}
  }

  ConnectionBounds(int connectionsMax) {
    this.connectionsMax = connectionsMax;
    // Clients behind one address, as of a gateway, have most connections but never all.
    this.addressMax = connectionsMax - connectionsMax / 4;
  }

  /** Counts a connection until it is closed, unless the decision is to close it now. */
  Decision decide(Channel channel) {
    String address = address(channel.remoteAddress());
    Optional<String> refusal = admit(address);
    if (refusal.isEmpty()) {
      channel.closeFuture().addListener(closed -> released(address));
      return new Decision.Admit();
    }
    if (refused.incrementAndGet() > REFUSED_MAX) {
      refused.decrementAndGet();
      return new Decision.Close();
    }
    channel.closeFuture().addListener(closed -> refused.decrementAndGet());
    return new Decision.Refuse(refusal.get());
  }

  /** Empty if the connection was counted, or the reason why not. */
  Optional<String> admit(String address) {
    if (admitted.incrementAndGet() > connectionsMax) {
      admitted.decrementAndGet();
      return Optional.of(
          "This node has "
              + connectionsMax
              + " connections (rpc.connections) and accepts no more.");
    }
    if (byAddress.merge(address, 1, Integer::sum) > addressMax) {
      released(address);
      return Optional.of(
          "This node has "
              + addressMax
              + " connections from "
              + address
              + ", three quarters of rpc.connections, and accepts no more from there.");
    }
    return Optional.empty();
  }

  void released(String address) {
    byAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    admitted.decrementAndGet();
  }

  private static String address(SocketAddress remote) {
    return remote instanceof InetSocketAddress inet && inet.getAddress() != null
        ? inet.getAddress().getHostAddress()
        : "an unknown address";
  }
}

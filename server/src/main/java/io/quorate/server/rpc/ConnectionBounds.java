package io.quorate.server.rpc;

import io.netty.channel.Channel;
import io.quorate.common.Budget;
import io.quorate.server.access.ClientAddress;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Bounds the connections of clients: all together, and those of one address, so that one machine
 * cannot keep out all others. Nor can it with frames that it sends slowly, or responses that it
 * does not read: the frames of one address that are not complete, and its requests in flight, have
 * budgets of their own. A few connections more are held for long enough to be told why they are
 * refused. Any thread.
 */
final class ConnectionBounds {
  /** Connections beyond the bound that receive a refusal; further ones are closed without one. */
  private static final int REFUSED_MAX = 256;

  private final int connectionsMax;
  private final int addressMax;
  private final long receivingBytesMax;
  private final Supplier<Budget> inFlightOfAddress;
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger admitted = new AtomicInteger();
  private final ConcurrentMap<String, Address> byAddress = new ConcurrentHashMap<>();

  /** The connections of one address, and what they share. */
  private record Address(int connections, Budget receiving, Budget inFlight) {
    Address with(int more) {
      return new Address(connections + more, receiving, inFlight);
    }
  }

  /** What happens to a new connection. */
  sealed interface Decision {
    /**
     * @param receiving of frames that the client's address has begun to send
     * @param inFlight of its requests whose responses are not written
     */
    record Admit(Budget receiving, Budget inFlight) implements Decision {}

    /** It is to be told the reason, and closed. */
    record Refuse(String reason) implements Decision {}

    record Close() implements Decision {}
  }

  /**
   * @param receivingBytesMax of frames of one address that are not complete, but for a single one
   * @param inFlightOfAddress creates the budget for the requests of an address
   */
  ConnectionBounds(int connectionsMax, long receivingBytesMax, Supplier<Budget> inFlightOfAddress) {
    this.connectionsMax = connectionsMax;
    this.receivingBytesMax = receivingBytesMax;
    this.inFlightOfAddress = inFlightOfAddress;
    // Clients behind one address, as of a gateway, have most connections but never all.
    this.addressMax = connectionsMax - connectionsMax / 4;
  }

  /** Counts a connection until it is closed, unless the decision is to close it now. */
  Decision decide(Channel channel) {
    String address = ClientAddress.share(channel.remoteAddress());
    Optional<String> refusal = admit(address);
    if (refusal.isEmpty()) {
      Address known = byAddress.get(address);
      channel.closeFuture().addListener(closed -> released(address));
      return new Decision.Admit(known.receiving(), known.inFlight());
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
    Address counted =
        byAddress.compute(address, (key, known) -> (known == null ? unused() : known).with(1));
    if (counted.connections() > addressMax) {
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

  private Address unused() {
    return new Address(
        0, new Budget(Integer.MAX_VALUE, receivingBytesMax), inFlightOfAddress.get());
  }

  void released(String address) {
    byAddress.computeIfPresent(
        address, (key, known) -> known.connections() == 1 ? null : known.with(-1));
    admitted.decrementAndGet();
  }
}

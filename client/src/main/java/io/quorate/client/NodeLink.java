package io.quorate.client;

import io.quorate.client.wire.v1.Welcome;
import io.quorate.consensus.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Everything that leads to one address: its open connections, and the one that is being made.
 * Connects when there is something to send, one attempt at a time, with a growing pause after one
 * that failed; while the pause lasts, requests fail at once so that they can go elsewhere. Lives on
 * the event loop.
 */
final class NodeLink implements Connection.Owner {

  /** Starts a connection. */
  interface Connector {
    Connection connect(NodeAddress address, Connection.Owner owner);
  }

  /** Who hears about connections. */
  interface Listener {
    void greeted(Welcome welcome);

    /** An open connection was lost. */
    void lost(NodeAddress address);
  }

  private final NodeAddress address;
  private final int connectionsMax;
  private final CallPolicy policy;
  private final Connector connector;
  private final Listener listener;
  private final Executor loop;
  private final List<Connection> open = new ArrayList<>();

  /** Bounded because everything in it belongs to a call that was admitted. */
  private final ArrayDeque<Exchange> waiting = new ArrayDeque<>();

  private Optional<NodeId> expected = Optional.empty();
  private Optional<Connection> connecting = Optional.empty();
  private int failures;
  private long pausedUntilNanos = System.nanoTime();
  private Setback lastFailure;
  private boolean closed;

  NodeLink(
      NodeAddress address,
      int connectionsMax,
      CallPolicy policy,
      Connector connector,
      Listener listener,
      Executor loop) {
    this.address = address;
    this.connectionsMax = connectionsMax;
    this.policy = policy;
    this.connector = connector;
    this.listener = listener;
    this.loop = loop;
    this.lastFailure = new Setback.Lost(false, "the node at " + address + " was not tried yet");
  }

  /** Says which node the map has at this address; another one there is not taken for it. */
  void expect(NodeId node) {
    expected = Optional.of(node);
  }

  /** Whether something sent now would be sent, or wait for a connection that is being made. */
  boolean isUsable() {
    return !open.isEmpty() || connecting.isPresent() || pauseIsOver();
  }

  boolean isConnected() {
    return !open.isEmpty();
  }

  void send(Exchange exchange) {
    if (closed) {
      fail(exchange, new Setback.Lost(false, "the client was closed"));
      return;
    }
    if (open.size() < connectionsMax && connecting.isEmpty() && pauseIsOver()) {
      connecting = Optional.of(connector.connect(address, this));
    }
    if (!open.isEmpty()) {
      leastLoaded().send(exchange);
    } else if (connecting.isPresent()) {
      waiting.add(exchange);
    } else {
      fail(exchange, lastFailure);
    }
  }

  /** Closes every connection; what is on them fails with this reason. */
  void close(String reason) {
    closed = true;
    List.copyOf(open).forEach(connection -> connection.close(reason));
    connecting.ifPresent(connection -> connection.close(reason));
  }

  @Override
  public void opened(Connection connection, Welcome welcome) {
    connecting = Optional.empty();
    boolean isAnother = expected.isPresent() && !expected.get().value().equals(welcome.getNodeId());
    if (isAnother) {
      String reason =
          "at " + address + " is node " + welcome.getNodeId() + ", not " + expected.get();
      postpone(new Setback.Lost(false, reason));
      connection.close(reason);
      return;
    }
    failures = 0;
    open.add(connection);
    listener.greeted(welcome);
    while (!waiting.isEmpty() && connection.isOpen()) {
      connection.send(waiting.remove());
    }
  }

  @Override
  public void closed(Connection connection, Setback setback) {
    if (open.remove(connection)) {
      listener.lost(address);
    } else if (connecting.equals(Optional.of(connection))) {
      connecting = Optional.empty();
      postpone(
          setback instanceof Setback.Lost ? new Setback.Lost(false, setback.reason()) : setback);
    }
  }

  private void postpone(Setback setback) {
    lastFailure = setback;
    pausedUntilNanos = System.nanoTime() + policy.backoff(failures++).toNanos();
    if (open.isEmpty()) {
      List<Exchange> failed = List.copyOf(waiting);
      waiting.clear();
      failed.forEach(exchange -> exchange.failed(setback));
    }
  }

  /** Not at once, so that a caller that goes on to the next node does not nest in itself. */
  private void fail(Exchange exchange, Setback setback) {
    loop.execute(() -> exchange.failed(setback));
  }

  private boolean pauseIsOver() {
    return System.nanoTime() - pausedUntilNanos >= 0;
  }

  private Connection leastLoaded() {
    return open.size() == 1
        ? open.get(0)
        : open.stream().min(Comparator.comparingInt(Connection::load)).orElseThrow();
  }
}

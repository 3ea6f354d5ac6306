package io.quorate.client.internal.connection;

import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.v1.Welcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * The connections to one address: the open ones, and the one that is being opened. Connects when
 * there is a request to send, one attempt at a time, with exponential backoff after a failed
 * attempt; during the backoff requests fail immediately, so that they can be sent to another node.
 * Used by the event loop only.
 */
public final class ConnectionPool implements Connection.Owner {
  private static final Failpoint CONNECT = Failpoint.named("client.connection.connect");

  /** Starts a connection. */
  public interface Connector {
    Connection connect(NodeAddress address, Connection.Owner owner);
  }

  /** Receives the events of connections. */
  public interface Listener {
    /** Why a node that has just been connected to is not used, as a phrase; empty if it is. */
    Optional<String> refusal(NodeAddress address, Welcome welcome);

    /** Called for a node that is used. */
    void handshakeCompleted(Welcome welcome);

    /** An open connection was lost. */
    void lost(NodeAddress address);
  }

  private final NodeAddress address;
  private final int connectionsMax;
  private final Pauses pauses;
  private final Connector connector;
  private final Listener listener;
  private final Executor loop;
  private final List<Connection> open = new ArrayList<>();

  /** Bounded because every request in it belongs to an admitted call. */
  private final ArrayDeque<PendingRequest> waiting = new ArrayDeque<>();

  private Optional<NodeId> expected = Optional.empty();
  private Optional<Connection> connecting = Optional.empty();
  private int failures;

  /** The attempts since the last handshake that the node accepted and was too busy to greet. */
  private int ungreeted;

  private long pausedUntilNanos = System.nanoTime();
  private AttemptFailure lastFailure;
  private boolean closed;

  public ConnectionPool(
      NodeAddress address,
      int connectionsMax,
      Pauses pauses,
      Connector connector,
      Listener listener,
      Executor loop) {
    this.address = address;
    this.connectionsMax = connectionsMax;
    this.pauses = pauses;
    this.connector = connector;
    this.listener = listener;
    this.loop = loop;
    this.lastFailure =
        new AttemptFailure.Lost(false, "the node at " + address + " has not been contacted yet");
  }

  /**
   * Sets the node that the topology has at this address; connections to another node are closed.
   */
  public void expect(NodeId node) {
    if (!expected.equals(Optional.of(node))) {
      expected = Optional.of(node);
      for (Connection connection : List.copyOf(open)) {
        if (!connection.nodeId().equals(node.value())) {
          open.remove(connection);
          // Not now, while a call chooses its node.
          loop.execute(() -> connection.close(otherNode(connection.nodeId())));
        }
      }
    }
  }

  private String otherNode(String node) {
    return "at " + address + " is node " + node + ", not " + expected.orElseThrow();
  }

  /** Whether a request would be sent now, or wait for a connection that is being opened. */
  public boolean isUsable() {
    return !open.isEmpty() || connecting.isPresent() || pauseIsOver();
  }

  public boolean isConnected() {
    return !open.isEmpty();
  }

  /** Whether there is a connection to a node of this founding. */
  public boolean isConnectedTo(UUID founding) {
    return open.stream().anyMatch(each -> each.founding().equals(Optional.of(founding)));
  }

  /** Closes the connections to nodes of another founding than this one. */
  public void closeOthers(UUID founding, String reason) {
    List.copyOf(open).stream()
        .filter(each -> each.founding().filter(theirs -> !theirs.equals(founding)).isPresent())
        .forEach(each -> each.close(reason));
  }

  /** Whether a request is on a connection, or waits for one. */
  public boolean isUsed() {
    return connecting.isPresent()
        || !waiting.isEmpty()
        || open.stream().anyMatch(connection -> connection.load() > 0);
  }

  public void send(PendingRequest request) {
    if (closed) {
      fail(request, lastFailure);
      return;
    }
    if (open.size() < connectionsMax && connecting.isEmpty() && pauseIsOver()) {
      CONNECT.passed(address);
      connecting = Optional.of(connector.connect(address, this));
    }
    if (!open.isEmpty()) {
      leastLoaded().send(request);
    } else if (connecting.isPresent()) {
      waiting.add(request);
    } else {
      fail(request, lastFailure);
    }
  }

  /**
   * Lets the next request connect anew if the host has several addresses: at another one may be a
   * node that helps. Connections with requests stay.
   */
  public void leaveAddress(String reason) {
    List.copyOf(open).stream()
        .filter(connection -> connection.hasOtherAddresses() && connection.load() == 0)
        .forEach(connection -> connection.close(reason));
  }

  /** Closes every connection; the requests on them fail with this reason. */
  public void close(String reason) {
    closed = true;
    lastFailure = new AttemptFailure.Lost(false, reason);
    List.copyOf(open).forEach(connection -> connection.close(reason));
    connecting.ifPresent(connection -> connection.close(reason));
  }

  @Override
  public void opened(Connection connection, Welcome welcome) {
    connecting = Optional.empty();
    boolean isOtherNode =
        expected.isPresent() && !expected.get().value().equals(welcome.getNodeId());
    Optional<String> refusal =
        isOtherNode
            ? Optional.of(otherNode(welcome.getNodeId()))
            : listener.refusal(address, welcome);
    if (refusal.isPresent()) {
      postpone(new AttemptFailure.Lost(false, refusal.get()), pauses.after(failures++));
      connection.close(refusal.get());
      return;
    }
    failures = 0;
    ungreeted = 0;
    open.add(connection);
    listener.handshakeCompleted(welcome);
    while (!waiting.isEmpty() && connection.isOpen()) {
      connection.send(waiting.remove());
    }
  }

  @Override
  public void closed(Connection connection, AttemptFailure failure) {
    AttemptFailure unsent = failure instanceof AttemptFailure.Lost lost ? lost.unsent() : failure;
    if (open.remove(connection)) {
      if (open.isEmpty()) {
        // The pause was that of a further connection.
        pausedUntilNanos = System.nanoTime();
      }
      if (open.isEmpty() && connecting.isEmpty()) {
        // There are some if it was closed before it could take them.
        failWaiting(unsent);
      }
      listener.lost(address);
    } else if (connecting.equals(Optional.of(connection))) {
      connecting = Optional.empty();
      postpone(unsent, pause(connection));
    }
  }

  private Duration pause(Connection failed) {
    if (failed.wasTooBusy()) {
      return pauseAfter(ungreeted++, failed.retryAfter());
    }
    // A further connection is not needed, and the node may have as many as it takes.
    return open.isEmpty() ? pauses.after(failures++) : pauseAfter(failures++, failed.retryAfter());
  }

  @Override
  public Duration pauseAfter(int refusals, Duration retryAfter) {
    return pauses.afterGreeting(refusals, retryAfter);
  }

  private void postpone(AttemptFailure failure, Duration pause) {
    lastFailure = failure;
    pausedUntilNanos = System.nanoTime() + pause.toNanos();
    if (open.isEmpty()) {
      failWaiting(failure);
    }
  }

  private void failWaiting(AttemptFailure failure) {
    List<PendingRequest> failed = List.copyOf(waiting);
    waiting.clear();
    failed.forEach(request -> request.enter(() -> request.failed(failure)));
  }

  /**
   * Fails the request asynchronously, so that a caller that tries the next node does not recurse.
   */
  private void fail(PendingRequest request, AttemptFailure failure) {
    loop.execute(() -> request.enter(() -> request.failed(failure)));
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

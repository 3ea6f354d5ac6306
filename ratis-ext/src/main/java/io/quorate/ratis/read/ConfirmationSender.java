package io.quorate.ratis.read;

import io.quorate.model.NodeId;
import io.quorate.ratis.heartbeat.GroupTerm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * Requests confirmations that this node still leads: of all groups with reads in one request to
 * each other node. It is created on the event loop that sends it, where what arrived in one
 * iteration shares it. While a request is in flight, further groups wait for its response, so that
 * they share the next one; but not for longer than a millisecond, because a network may be slow.
 *
 * <p>Thread-safe; nothing blocks.
 */
public final class ConfirmationSender {
  private static final Duration WAIT_MAX = Duration.ofMillis(1);

  /** With so many requests in flight, a node receives no more before one of them ends. */
  static final int IN_FLIGHT_MAX = 4;

  /** For how long a node is spared that did not respond, or whose version cannot. */
  private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

  /** Sends requests to a node. Nothing blocks. */
  public interface Transport {
    CompletableFuture<ByteBuffer> send(NodeId to, ByteBuffer request);

    /** Runs a short task where the responses of a node arrive, after what they lead to. */
    void execute(NodeId to, Runnable task);
  }

  private final Transport transport;
  private final ScheduledExecutorService timer;
  private final LongSupplier nanoClock;
  private final Map<NodeId, Node> nodes = new ConcurrentHashMap<>();

  /**
   * A confirmation to request.
   *
   * @param result receives whether the other node confirmed the term; false may also mean that it
   *     could not be reached. Not called if a later one of the same group replaces it.
   */
  private record Confirmation(GroupTerm group, Consumer<Boolean> result) {}

  /** Another node. Guarded by its own monitor. */
  private static final class Node {
    final NodeId id;

    /** By group: at most one each, so that there are no more than groups. */
    Map<RaftGroupId, Confirmation> waiting = new LinkedHashMap<>();

    int inFlight;
    boolean isScheduled;
    boolean isTimed;
    long pausedNanos;
    boolean isPaused;

    Node(NodeId id) {
      this.id = id;
    }
  }

  /**
   * @param timer executes short tasks
   * @param nanoClock as {@link System#nanoTime}
   */
  public ConfirmationSender(
      Transport transport, ScheduledExecutorService timer, LongSupplier nanoClock) {
    this.transport = transport;
    this.timer = timer;
    this.nanoClock = nanoClock;
  }

  /**
   * Runs a short task after a time.
   *
   * @return whether it will: not while this node is closing
   */
  boolean after(long nanos, Runnable task) {
    try {
      timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * Requests that a node confirms that it knows of no later term of a group.
   *
   * @param result receives whether it did, on any thread, also on that of the caller; or nothing,
   *     if a later request for the same group replaces this one
   */
  void request(NodeId to, GroupTerm group, Consumer<Boolean> result) {
    Node node = nodes.computeIfAbsent(to, Node::new);
    boolean isDue;
    synchronized (node) {
      if (node.isPaused && nanoClock.getAsLong() - node.pausedNanos < PAUSE_NANOS) {
        isDue = false;
      } else {
        node.isPaused = false;
        node.waiting.put(group.group(), new Confirmation(group, result));
        isDue = true;
      }
    }
    if (!isDue) {
      result.accept(false);
      return;
    }
    sendOrWait(node);
  }

  private void sendOrWait(Node node) {
    synchronized (node) {
      if (node.inFlight > 0) {
        if (!node.isTimed && node.inFlight < IN_FLIGHT_MAX) {
          node.isTimed = true;
          try {
            timer.schedule(() -> sendAfterWait(node), WAIT_MAX.toNanos(), TimeUnit.NANOSECONDS);
          } catch (RejectedExecutionException e) {
            // The engine is being closed, which fails the reads.
            node.isTimed = false;
          }
        }
        return;
      }
    }
    sendSoon(node);
  }

  private void sendSoon(Node node) {
    synchronized (node) {
      if (node.isScheduled || node.waiting.isEmpty()) {
        return;
      }
      node.isScheduled = true;
    }
    transport.execute(node.id, () -> send(node));
  }

  private void sendAfterWait(Node node) {
    synchronized (node) {
      node.isTimed = false;
    }
    sendSoon(node);
  }

  private void send(Node node) {
    List<Confirmation> sent;
    synchronized (node) {
      node.isScheduled = false;
      if (node.waiting.isEmpty() || node.inFlight >= IN_FLIGHT_MAX) {
        return;
      }
      sent = new ArrayList<>(node.waiting.values());
      node.waiting = new LinkedHashMap<>();
      node.inFlight++;
    }
    transport
        .send(node.id, GroupTerm.encode(sent.stream().map(Confirmation::group).toList()))
        .whenComplete(
            (response, failure) -> {
              if (failure == null) {
                responded(node, sent, BitSet.valueOf(response));
              } else {
                failed(node, sent);
              }
            });
  }

  private void responded(Node node, List<Confirmation> sent, BitSet confirmed) {
    synchronized (node) {
      node.inFlight--;
    }
    sendSoon(node);
    for (int i = 0; i < sent.size(); i++) {
      sent.get(i).result().accept(confirmed.get(i));
    }
  }

  private void failed(Node node, List<Confirmation> sent) {
    List<Confirmation> failed = new ArrayList<>(sent);
    synchronized (node) {
      node.inFlight--;
      node.isPaused = true;
      node.pausedNanos = nanoClock.getAsLong();
      failed.addAll(node.waiting.values());
      node.waiting.clear();
    }
    failed.forEach(each -> each.result().accept(false));
  }
}

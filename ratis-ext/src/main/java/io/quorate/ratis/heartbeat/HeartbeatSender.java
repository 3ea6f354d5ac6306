package io.quorate.ratis.heartbeat;

import io.quorate.model.NodeId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Sends each other node one heartbeat for all groups that this node leads and the other follows, as
 * far as there is nothing else to send in them. The response counts as one in each group, and a log
 * appender of Ratis sends a heartbeat of its own only when half of the minimum election timeout has
 * passed without a response. So if nodes do not respond to these heartbeats, groups are as if there
 * were none.
 *
 * <p>They confirm no reads, see {@code ReadIndex}.
 */
public final class HeartbeatSender {
  /** With fewer groups there is nothing to save. */
  static final int GROUPS_MIN = 8;

  /** For how long a node is spared that did not respond, or whose version cannot. */
  private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

  private final BiFunction<NodeId, ByteBuffer, CompletableFuture<ByteBuffer>> transport;
  private final LongSupplier nanoClock;
  private final ConcurrentHashMap<NodeId, Node> nodes = new ConcurrentHashMap<>();
  private final LongAdder shared = new LongAdder();

  /** What is known of another node. */
  private static final class Node {
    volatile boolean isInFlight;
    volatile long dueNanos;

    Node(long nowNanos) {
      this.dueNanos = nowNanos;
    }
  }

  /**
   * @param transport sends a heartbeat to a node; does not block
   * @param nanoClock as {@link System#nanoTime}
   */
  public HeartbeatSender(
      BiFunction<NodeId, ByteBuffer, CompletableFuture<ByteBuffer>> transport,
      LongSupplier nanoClock) {
    this.transport = transport;
    this.nanoClock = nanoClock;
  }

  /** The number of followers that have received a heartbeat in this way. Any thread. */
  public long shared() {
    return shared.sum();
  }

  /**
   * Sends the heartbeats. To be called about three times in the minimum election timeout, by one
   * thread. Does not block.
   *
   * @param idle the followers of all groups that this node leads
   */
  public void tick(List<IdleFollower> idle) {
    Map<NodeId, List<IdleFollower>> byNode =
        idle.stream().collect(Collectors.groupingBy(IdleFollower::node));
    byNode.forEach(
        (node, followers) -> {
          if (followers.size() >= GROUPS_MIN) {
            send(node, followers);
          }
        });
  }

  private void send(NodeId to, List<IdleFollower> followers) {
    long now = nanoClock.getAsLong();
    Node node = nodes.computeIfAbsent(to, id -> new Node(now));
    if (node.isInFlight || now - node.dueNanos < 0) {
      return;
    }
    node.isInFlight = true;
    List<GroupTerm> groups =
        followers.stream().map(each -> new GroupTerm(each.group(), each.term())).toList();
    transport
        .apply(to, GroupTerm.encode(groups))
        .whenComplete(
            (response, failure) -> {
              if (failure == null) {
                responded(followers, response);
              } else {
                node.dueNanos = nanoClock.getAsLong() + PAUSE_NANOS;
              }
              node.isInFlight = false;
            });
  }

  private void responded(List<IdleFollower> followers, ByteBuffer response) {
    BitSet accepted = BitSet.valueOf(response);
    for (int i = 0; i < followers.size(); i++) {
      if (accepted.get(i)) {
        followers.get(i).follower().updateLastRpcResponseTime();
        shared.increment();
      }
    }
  }
}

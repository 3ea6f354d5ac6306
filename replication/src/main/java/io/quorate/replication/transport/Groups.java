package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The groups that are open here. Any thread. */
final class Groups {
  private final ConcurrentMap<GroupId, GroupListener> open = new ConcurrentHashMap<>();
  private final TransportMetrics metrics;

  Groups(TransportMetrics metrics) {
    this.metrics = metrics;
  }

  void join(GroupId group, GroupListener listener) {
    if (open.putIfAbsent(group, listener) != null) {
      throw new IllegalStateException("Group " + group + " has joined already");
    }
  }

  void leave(GroupId group) {
    open.remove(group);
  }

  Optional<GroupListener> find(GroupId group) {
    return Optional.ofNullable(open.get(group));
  }

  void connected(NodeId peer) {
    open.values().forEach(listener -> listener.connected(peer));
  }

  void reachabilityChanged() {
    open.values().forEach(GroupListener::reachabilityChanged);
  }

  /**
   * Passes a message to its group.
   *
   * @param body the body of a MESSAGE frame
   * @throws DecodeException if the message is malformed
   */
  void deliver(NodeId from, ByteBuf body) {
    metrics.received(Integer.BYTES + 1 + body.readableBytes());
    GroupListener listener = open.get(readGroup(body));
    if (listener == null) {
      metrics.dropped(TransportMetrics.Drop.UNKNOWN_GROUP, 1);
      return;
    }
    listener.received(from, body);
  }

  static GroupId readGroup(ByteBuf body) {
    if (body.readableBytes() < Integer.BYTES) {
      throw new DecodeException("a frame ends before the group");
    }
    int number = body.readInt();
    if (number < 0) {
      throw new DecodeException("invalid group " + number);
    }
    return new GroupId(number);
  }
}

package io.quorate.rabia.transport;

import io.netty.channel.Channel;
import io.quorate.consensus.NodeId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The connections that peers have made, bounded in number. A peer has one for each purpose: when it
 * greets on another, the earlier one is dead, whether this node has noticed or not. Any thread.
 */
final class AcceptedConnections implements AcceptedConnection.Owner {
  /** So many at a time are told that they are too many; further ones are closed without a word. */
  private static final int TURNED_AWAY_MAX = 16;

  private record Key(NodeId peer, Greeting.Purpose purpose) {}

  private final TransportContext context;
  private final RequestDesk desk;
  private final Consumer<NodeId> isUp;
  private final Set<Channel> all = ConcurrentHashMap.newKeySet();
  private final Map<Key, AcceptedConnection> greeted = new ConcurrentHashMap<>();

  /**
   * @param isUp told of peers that have greeted
   */
  AcceptedConnections(TransportContext context, RequestDesk desk, Consumer<NodeId> isUp) {
    this.context = context;
    this.desk = desk;
    this.isUp = isUp;
  }

  int size() {
    return all.size();
  }

  void accept(Channel channel) {
    int others = all.size();
    int most = context.settings().connectionsMax();
    if (others >= most + TURNED_AWAY_MAX) {
      channel.close();
      return;
    }
    all.add(channel);
    channel.closeFuture().addListener(closed -> all.remove(channel));
    AcceptedConnection connection = new AcceptedConnection(context, this, desk);
    connection.install(channel);
    if (others >= most) {
      connection.refuse(
          RefusalReason.BUSY, "This node has rabia.connections-max connections and takes no more.");
    }
  }

  @Override
  public void opened(AcceptedConnection connection, Greeting.Hello hello) {
    NodeId peer = hello.from().node();
    AcceptedConnection earlier = greeted.put(new Key(peer, hello.purpose()), connection);
    if (earlier != null) {
      earlier.channel().eventLoop().execute(() -> earlier.close("it has connected anew"));
    }
    isUp.accept(peer);
  }

  @Override
  public void closed(AcceptedConnection connection) {
    greeted.values().remove(connection);
  }
}

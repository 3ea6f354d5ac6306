package io.quorate.replication.transport;

import io.netty.channel.Channel;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The connections that peers have opened, bounded in number. A peer has one for each purpose: when
 * it completes the handshake on another one, the earlier one is closed, because it is dead even if
 * this node has not detected that. Where there are too many, one that has not greeted gives way,
 * the oldest first: strangers that say nothing do not keep out nodes. Any thread.
 */
final class AcceptedConnections implements AcceptedConnection.Owner {
  /** Connections beyond the bound that receive a refusal; further ones are closed without one. */
  private static final int REFUSED_MAX = 16;

  private record Key(NodeId peer, Handshake.Purpose purpose) {}

  private final TransportContext context;
  private final PeerRequestHandler requestHandler;
  private final Consumer<NodeId> onPeerUp;
  private final Set<Channel> all = ConcurrentHashMap.newKeySet();
  private final Map<Key, AcceptedConnection> byPeer = new ConcurrentHashMap<>();

  /** Those whose handshake is not complete, the oldest first. */
  private final Queue<AcceptedConnection> silent = new ConcurrentLinkedQueue<>();

  /**
   * @param onPeerUp called with a peer that has completed the handshake
   */
  AcceptedConnections(
      TransportContext context, PeerRequestHandler requestHandler, Consumer<NodeId> onPeerUp) {
    this.context = context;
    this.requestHandler = requestHandler;
    this.onPeerUp = onPeerUp;
  }

  int size() {
    return all.size();
  }

  void accept(Channel channel) {
    int others = all.size();
    int connectionsMax = context.settings().connections().max();
    if (others >= connectionsMax + REFUSED_MAX) {
      channel.close();
      return;
    }
    all.add(channel);
    channel.closeFuture().addListener(closed -> all.remove(channel));
    AcceptedConnection connection = new AcceptedConnection(context, this, requestHandler);
    connection.install(channel);
    if (others >= connectionsMax && !closeSilent()) {
      connection.refuse(
          RefusalReason.BUSY,
          "This node has "
              + context.settings().key("connections-max")
              + " connections and accepts no more.");
      return;
    }
    silent.add(connection);
  }

  private boolean closeSilent() {
    AcceptedConnection oldest = silent.poll();
    if (oldest == null) {
      return false;
    }
    oldest
        .channel()
        .eventLoop()
        .execute(() -> oldest.close("it has not greeted, and another one needs its place"));
    return true;
  }

  @Override
  public void opened(AcceptedConnection connection, Handshake.Hello hello) {
    silent.remove(connection);
    NodeId peer = hello.from().node();
    AcceptedConnection earlier = byPeer.put(new Key(peer, hello.purpose()), connection);
    if (earlier != null) {
      earlier.channel().eventLoop().execute(() -> earlier.close("it has connected again"));
    }
    onPeerUp.accept(peer);
  }

  @Override
  public void closed(AcceptedConnection connection) {
    silent.remove(connection);
    byPeer.values().remove(connection);
  }
}

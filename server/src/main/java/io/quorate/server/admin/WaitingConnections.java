package io.quorate.server.admin;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The connections that wait for a complete request, the one that has waited longest first. If there
 * are too many, that one is closed, so that clients that send incomplete requests do not exclude
 * others. Runs on the event loop.
 */
final class WaitingConnections {
  private final int connectionsMax;
  private final Set<Channel> channels = new LinkedHashSet<>();

  WaitingConnections(int connectionsMax) {
    this.connectionsMax = connectionsMax;
  }

  void add(Channel channel) {
    channels.add(channel);
    if (channels.size() > connectionsMax) {
      Iterator<Channel> oldest = channels.iterator();
      Channel evicted = oldest.next();
      oldest.remove();
      evicted.close();
    }
  }

  void remove(Channel channel) {
    channels.remove(channel);
  }
}

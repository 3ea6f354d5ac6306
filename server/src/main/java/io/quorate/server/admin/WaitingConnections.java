package io.quorate.server.admin;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The connections that have not sent a complete request, the longest first. Where there are too
 * many, the longest gives way, so that clients that send half a request keep no other one out. On
 * the event loop.
 */
final class WaitingConnections {
  private final int most;
  private final Set<Channel> channels = new LinkedHashSet<>();

  WaitingConnections(int most) {
    this.most = most;
  }

  void add(Channel channel) {
    channels.add(channel);
    if (channels.size() > most) {
      Iterator<Channel> longest = channels.iterator();
      Channel given = longest.next();
      longest.remove();
      given.close();
    }
  }

  void remove(Channel channel) {
    channels.remove(channel);
  }
}

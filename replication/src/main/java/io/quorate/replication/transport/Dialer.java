package io.quorate.replication.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.quorate.model.NodeId;
import io.quorate.protocol.connect.AddressRace;
import io.quorate.replication.transport.handshake.Handshake;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.Executor;

/** Opens connections to peers, by any address of their hosts. Any thread. */
final class Dialer {
  /** Bytes buffered in a channel; further frames wait in the send queue, which is bounded. */
  private static final int CHANNEL_BYTES_MAX = 1 << 20;

  private final TransportContext context;
  private final EventLoops loops;
  private final Executor lookups;

  /**
   * @param lookups runs name lookups, which block
   */
  Dialer(TransportContext context, EventLoops loops, Executor lookups) {
    this.context = context;
    this.loops = loops;
    this.lookups = lookups;
  }

  /** Opens a connection on this loop. The outcome is reported to the owner, after this call. */
  DialedConnection dial(
      EventLoop loop,
      NodeId peer,
      InetSocketAddress address,
      Handshake.Purpose purpose,
      DialedConnection.Owner owner) {
    DialedConnection connection = new DialedConnection(context, peer, purpose, owner);
    Duration timeout = context.settings().connections().connectTimeout();
    AddressRace.start(
        loop,
        AddressRace.Lookup.SYSTEM,
        lookups,
        bootstrap(loop, timeout),
        address,
        timeout,
        new AddressRace.Outcome() {
          @Override
          public void connected(Channel channel) {
            if (connection.isClosing()) {
              channel.close();
            } else {
              connection.install(channel);
            }
          }

          @Override
          public void failed(Throwable cause) {
            connection.close(
                cause instanceof UnknownHostException
                    ? "host " + address.getHostString() + " is unknown"
                    : "it cannot be reached: " + cause.getMessage());
          }
        });
    return connection;
  }

  private Bootstrap bootstrap(EventLoop loop, Duration timeout) {
    return new Bootstrap()
        .group(loop)
        .channel(loops.channel())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
        .option(
            ChannelOption.WRITE_BUFFER_WATER_MARK,
            new WriteBufferWaterMark(CHANNEL_BYTES_MAX / 2, CHANNEL_BYTES_MAX));
  }
}

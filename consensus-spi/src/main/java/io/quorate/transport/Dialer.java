package io.quorate.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.NetUtil;
import io.quorate.consensus.NodeId;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Opens connections to peers. Any thread. */
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
    String host = address.getHostString();
    boolean isIpAddress = NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
    try {
      (isIpAddress ? loop : lookups)
          .execute(
              () -> {
                InetSocketAddress found = new InetSocketAddress(host, address.getPort());
                loop.execute(() -> connect(loop, found, connection));
              });
    } catch (RejectedExecutionException e) {
      loop.execute(() -> connection.close("too many name lookups are queued on this node"));
    }
    return connection;
  }

  private void connect(EventLoop loop, InetSocketAddress address, DialedConnection connection) {
    if (connection.isClosing()) {
      return;
    }
    if (address.isUnresolved()) {
      connection.close("host " + address.getHostString() + " is unknown");
      return;
    }
    new Bootstrap()
        .group(loop)
        .channel(loops.channel())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(
            ChannelOption.CONNECT_TIMEOUT_MILLIS,
            (int) context.settings().connectTimeout().toMillis())
        .option(
            ChannelOption.WRITE_BUFFER_WATER_MARK,
            new WriteBufferWaterMark(CHANNEL_BYTES_MAX / 2, CHANNEL_BYTES_MAX))
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                connection.install(channel);
              }
            })
        .connect(address)
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                connection.close("it cannot be reached: " + done.cause().getMessage());
              }
            });
  }
}

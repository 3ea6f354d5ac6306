package io.quorate.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.client.wire.v1.Hello;
import io.quorate.connect.AddressRace;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The event loop of a client, and the opening of its connections. Host names are looked up on
 * another thread, which a slow name server may block.
 */
final class ClientNetwork {
  private final ClientOptions options;
  private final AddressRace.Lookup names;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final ExecutorService lookups;
  private final Bootstrap bootstrap;

  /**
   * @param names looks up the hosts of nodes
   */
  ClientNetwork(ClientOptions options, AddressRace.Lookup names) {
    this.options = options;
    this.names = names;
    group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("quorate-client", true), NioIoHandler.newFactory());
    loop = group.next();
    lookups =
        Executors.newSingleThreadExecutor(new DefaultThreadFactory("quorate-client-names", true));
    bootstrap =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) options.connectTimeout().toMillis());
  }

  EventLoop loop() {
    return loop;
  }

  /** Opens a connection by any address of the host. On the event loop. */
  Connection connect(NodeAddress address, Hello hello, Connection.Owner owner) {
    return Connection.open(
        loop,
        outcome ->
            AddressRace.start(
                loop,
                names,
                lookups,
                bootstrap,
                InetSocketAddress.createUnresolved(address.host(), address.port()),
                options.connectTimeout(),
                outcome),
        address,
        options,
        hello,
        owner);
  }

  /** Ends the threads; returns at once. */
  void shutDown() {
    lookups.shutdownNow();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS);
  }

  /** Blocks until the event loop has ended. */
  void awaitEnd() {
    group.terminationFuture().awaitUninterruptibly();
  }
}

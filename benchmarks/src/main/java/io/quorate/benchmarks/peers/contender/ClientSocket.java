package io.quorate.benchmarks.peers.contender;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A connection with a thread of its own, as each client of Quorate has. What is written while
 * responses are read leaves in one system call.
 */
public final class ClientSocket implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_MILLIS = 5000;
  private static final int WRITES_PER_FLUSH_MAX = 256;
  private static final long CLOSE_TIMEOUT_MILLIS = 2000;

  private final EventLoopGroup loop;
  private final Channel channel;

  private ClientSocket(EventLoopGroup loop, Channel channel) {
    this.loop = loop;
    this.channel = channel;
  }

  /**
   * Connects. Blocks.
   *
   * @param handlers creates those of the channel, from the socket to the application
   * @throws IOException if the server cannot be reached
   */
  public static ClientSocket open(InetSocketAddress server, Supplier<List<ChannelHandler>> handlers)
      throws IOException, InterruptedException {
    EventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("peer-client", true), NioIoHandler.newFactory());
    ChannelFuture connected =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(new FlushConsolidationHandler(WRITES_PER_FLUSH_MAX, true))
                        .addLast(handlers.get().toArray(ChannelHandler[]::new));
                  }
                })
            .connect(server)
            .await();
    if (!connected.isSuccess()) {
      stop(loop);
      throw new IOException(
          server + " cannot be reached: " + connected.cause().getMessage(), connected.cause());
    }
    return new ClientSocket(loop, connected.channel());
  }

  /** Executes a task on the thread of the connection; immediately if that is this thread. */
  public void execute(Runnable task) {
    if (channel.eventLoop().inEventLoop()) {
      task.run();
    } else {
      channel.eventLoop().execute(task);
    }
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly(CLOSE_TIMEOUT_MILLIS);
    stop(loop);
  }

  private static void stop(EventLoopGroup loop) {
    loop.shutdownGracefully(0, CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }
}

package io.quorate.server.rpc;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * The implementation of sockets: epoll if its native library loads, otherwise NIO of the JDK.
 *
 * @param loops the event loops; the owner must stop them
 */
record Transport(EventLoopGroup loops, Class<? extends ServerChannel> serverChannel) {

  static Transport start(int threads) {
    DefaultThreadFactory factory = new DefaultThreadFactory("quorate-rpc");
    return Epoll.isAvailable()
        ? new Transport(
            new MultiThreadIoEventLoopGroup(threads, factory, EpollIoHandler.newFactory()),
            EpollServerSocketChannel.class)
        : new Transport(
            new MultiThreadIoEventLoopGroup(threads, factory, NioIoHandler.newFactory()),
            NioServerSocketChannel.class);
  }
}

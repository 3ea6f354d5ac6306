package io.quorate.server.door;

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
 * How sockets are served: by epoll where its native library loads, otherwise by the JDK.
 *
 * @param loops threads that the holder ends
 */
record Transport(EventLoopGroup loops, Class<? extends ServerChannel> serverChannel) {

  static Transport start(int threads) {
    DefaultThreadFactory factory = new DefaultThreadFactory("quorate-door");
    return Epoll.isAvailable()
        ? new Transport(
            new MultiThreadIoEventLoopGroup(threads, factory, EpollIoHandler.newFactory()),
            EpollServerSocketChannel.class)
        : new Transport(
            new MultiThreadIoEventLoopGroup(threads, factory, NioIoHandler.newFactory()),
            NioServerSocketChannel.class);
  }
}

package io.quorate.rabia.transport;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * How sockets are served: by epoll where its native library loads, otherwise by the JDK.
 *
 * @param group threads that the holder ends
 */
record EventLoops(
    EventLoopGroup group,
    Class<? extends ServerChannel> serverChannel,
    Class<? extends Channel> channel) {

  static EventLoops start(int threads) {
    DefaultThreadFactory factory = new DefaultThreadFactory("quorate-rabia-transport", true);
    return Epoll.isAvailable()
        ? new EventLoops(
            new MultiThreadIoEventLoopGroup(threads, factory, EpollIoHandler.newFactory()),
            EpollServerSocketChannel.class,
            EpollSocketChannel.class)
        : new EventLoops(
            new MultiThreadIoEventLoopGroup(threads, factory, NioIoHandler.newFactory()),
            NioServerSocketChannel.class,
            NioSocketChannel.class);
  }
}

package io.quorate.replication.transport;

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
 * The event loops and channel types of the transport: epoll if its native library loads, otherwise
 * those of the JDK.
 *
 * @param group the threads, which the caller shuts down
 */
record EventLoops(
    EventLoopGroup group,
    Class<? extends ServerChannel> serverChannel,
    Class<? extends Channel> channel) {

  static EventLoops start(int threads, String threadName) {
    DefaultThreadFactory factory = new DefaultThreadFactory(threadName, true);
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

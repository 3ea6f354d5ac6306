package io.quorate.server.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.quorate.model.NodeId;
import io.quorate.protocol.frame.ClientRefusal;
import io.quorate.server.access.NodeSecurity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Health, metrics, the console and changes of the nodes over HTTP.
 *
 * <pre>
 * GET /                    the console of the cluster, which consists of this page and a few files
 * GET /api/cluster         the state of the cluster: the JSON of "quorate status --json"
 * GET /api/traffic         the throughput and latency of the last minutes, as JSON
 * GET /health              200 "ok", or 503 and the problems, one per line
 * GET /ready               200 while clients are served, otherwise 503
 * GET /metrics             Prometheus text
 * GET /api/nodes/changes   the changes of replicas that are under way or follow, as JSON
 * POST /api/nodes/add?address=HOST:PORT, drain?node=NAME, undrain?node=NAME,
 *      remove?node=NAME, replace?address=HOST:PORT, each with dry-run=true or without
 *                          200 and those changes; 409 and the reason if the change is refused
 * </pre>
 *
 * <p>{@link AdminDoor} says who receives what.
 *
 * <p>Has an event loop of its own, so that it responds while the node is busy with clients. The
 * numbers of connections that wait for a request, of requests that wait for a page, and of
 * connections in all are bounded.
 */
public final class AdminServer implements AutoCloseable {
  /** The most time that a change of the nodes takes, or fails. */
  public static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(10);

  private static final int PAGE_THREADS = 2;
  private static final int REQUESTS_MAX = 64;
  private static final int LOGINS_MAX = 16;
  private static final int WAITING_CONNECTIONS_MAX = 256;
  private static final int CONNECTIONS_MAX = WAITING_CONNECTIONS_MAX + REQUESTS_MAX + PAGE_THREADS;
  private static final int BACKLOG = 256;
  private static final int BODY_BYTES_MAX = 1024;
  private static final long STOP_SECONDS_MAX = 5;

  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("quorate-admin", true), NioIoHandler.newFactory());
  private final ExecutorService threads = pool(PAGE_THREADS, REQUESTS_MAX, "quorate-admin-page");

  /**
   * Health and readiness wait for nothing else: a supervisor would end a node that is only busy.
   */
  private final ExecutorService health = pool(1, REQUESTS_MAX, "quorate-admin-health");

  /** To check a secret takes some 20 ms, which anyone may request. */
  private final ExecutorService logins = pool(1, LOGINS_MAX, "quorate-admin-login");

  private final ChannelGroup connections =
      new DefaultChannelGroup("quorate-admin-connections", GlobalEventExecutor.INSTANCE);
  private final WaitingConnections waiting = new WaitingConnections(WAITING_CONNECTIONS_MAX);
  private final AdminPages pages;
  private final NodeId self;
  private final Optional<NodeSecurity> security;
  private final Optional<AdminIdentity> identity;
  private final Predicate<String> names;
  private Channel listener;

  private AdminServer(AdminContext context, Optional<NodeSecurity> security) {
    this.security = security;
    this.identity = security.map(each -> new AdminIdentity(each.access(), each.failures()));
    this.names = context.names();
    this.self = context.self();
    this.pages =
        new AdminPages(
            context,
            new ClusterPages(context.self(), context.cluster(), threads),
            new NodePages(context.nodes(), threads),
            security.isPresent());
  }

  /**
   * Starts to listen. Blocks until the address is bound.
   *
   * @param listen the address; port 0 for any free port
   * @param security of every connection; empty if anyone may do everything
   * @throws IOException if the address cannot be bound; nothing is left running
   */
  public static AdminServer open(
      InetSocketAddress listen, AdminContext context, Optional<NodeSecurity> security)
      throws IOException {
    AdminServer server = new AdminServer(context, security);
    ChannelFuture bound = server.bootstrap().bind(listen).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      server.close();
      throw new IOException(bound.cause().getMessage(), bound.cause());
    }
    server.listener = bound.channel();
    return server;
  }

  /** The port that the server listens on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Stops listening and closes every connection. Further calls have no effect. */
  @Override
  public void close() {
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    connections.close().awaitUninterruptibly(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    List.of(threads, health, logins).forEach(ExecutorService::shutdownNow);
    loop.shutdownGracefully(0, STOP_SECONDS_MAX, TimeUnit.SECONDS)
        .awaitUninterruptibly(STOP_SECONDS_MAX, TimeUnit.SECONDS);
  }

  private static ExecutorService pool(int size, int waitingMax, String name) {
    return new ThreadPoolExecutor(
        size,
        size,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(waitingMax),
        new DefaultThreadFactory(name, true));
  }

  private ServerBootstrap bootstrap() {
    return new ServerBootstrap()
        .group(loop)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                accept(channel);
              }
            });
  }

  private void accept(Channel channel) {
    if (connections.size() >= CONNECTIONS_MAX) {
      channel.close();
      return;
    }
    connections.add(channel);
    Optional<SslHandler> encryption =
        security.map(each -> new SslHandler(each.tls().acceptingAnyone()));
    encryption.ifPresent(channel.pipeline()::addLast);
    channel
        .pipeline()
        .addLast(
            new ClientRefusal(
                "This is the admin port of node "
                    + self
                    + ", for HTTP; clients use the client port of a node."))
        .addLast(new HttpServerCodec())
        .addLast(new HttpObjectAggregator(BODY_BYTES_MAX, true))
        // Holds further requests of the same packet while reading is suspended.
        .addLast(new FlowControlHandler())
        .addLast(
            new AdminConnection(
                pages,
                new AdminThreads(threads, health, logins),
                waiting,
                new AdminDoor(identity, encryption, names)));
  }
}

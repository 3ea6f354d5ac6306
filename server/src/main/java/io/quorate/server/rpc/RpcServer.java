package io.quorate.server.rpc;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.quorate.common.Budget;
import io.quorate.consensus.MetricsSink;
import io.quorate.protocol.frame.ClientRefusal;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.wire.Opcode;
import io.quorate.server.access.NodeSecurity;
import io.quorate.server.config.LimitsConfig;
import io.quorate.server.config.RpcConfig;
import io.quorate.server.rpc.cluster.ClusterHandlers;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.rpc.request.RequestTimeouts;
import io.quorate.server.rpc.request.RpcLog;
import io.quorate.server.rpc.request.RpcMetrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Accepts client connections and serves their requests. Opened and closed by one thread. */
public final class RpcServer implements AutoCloseable {
  private static final int BACKLOG = 1024;
  private static final int CONTROL_REQUESTS_MAX = 1024;
  private static final long CONTROL_BYTES_MAX = 16 << 20;
  private static final long STOP_SECONDS_MAX = 5;

  private final RpcConfig config;
  private final LimitsConfig limits;
  private final Optional<NodeSecurity> security;
  private final RpcMetrics metrics;
  private final RpcLog log = new RpcLog();
  private final ConnectionBounds bounds;
  private final Budget inFlight;

  /** Of requests that are served although {@link #inFlight} is exhausted. */
  private final Budget control = new Budget(CONTROL_REQUESTS_MAX, CONTROL_BYTES_MAX);

  private final RequestTimeouts timeouts;
  private final ThreadPoolExecutor readers;
  private final Supplier<Optional<UUID>> founding;
  private final Map<Opcode, RequestHandler> handlers;
  private final Transport transport;
  private final ChannelGroup connections =
      new DefaultChannelGroup("quorate-connections", GlobalEventExecutor.INSTANCE);
  private Channel listener;

  private RpcServer(
      RpcConfig config,
      LimitsConfig limits,
      RpcContext context,
      Optional<NodeSecurity> security,
      MetricsSink telemetry) {
    this.config = config;
    this.security = security;
    this.limits = limits;
    this.metrics = new RpcMetrics(telemetry, context.traffic());
    this.inFlight = config.perNode().newBudget();
    this.bounds =
        new ConnectionBounds(
            config.connections(), config.perNode().bytes() / 2, this::newBudgetOfAddress);
    this.timeouts = new RequestTimeouts(config.timeouts().request());
    // The queue can hold every admitted request: admission control is its limit.
    this.readers =
        new ThreadPoolExecutor(
            config.readThreads(),
            config.readThreads(),
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(config.perNode().requests()),
            new DefaultThreadFactory("quorate-reader"));
    this.handlers = handlers(context);
    this.founding = context.topology()::founding;
    this.transport = Transport.start(config.threads());
    telemetry.gauge("connections", "Connections of clients", Map.of(), connections::size);
    telemetry.gauge(
        "requests.in.flight", "Requests without a response", Map.of(), inFlight::requests);
    telemetry.gauge(
        "requests.in.flight.bytes",
        "Bytes of the requests without a response",
        Map.of(),
        inFlight::bytes);
    telemetry.gauge(
        "reads.waiting", "Reads that wait for a thread", Map.of(), () -> readers.getQueue().size());
  }

  /**
   * Starts to listen. Blocks until the address is bound.
   *
   * @param listen the address; port 0 for any free port
   * @param security of every connection; empty if anyone may do everything
   * @throws IOException if the address cannot be bound; nothing is left running
   */
  public static RpcServer open(
      InetSocketAddress listen,
      RpcConfig config,
      LimitsConfig limits,
      RpcContext context,
      Optional<NodeSecurity> security,
      MetricsSink telemetry)
      throws IOException {
    RpcServer server = new RpcServer(config, limits, context, security, telemetry);
    ChannelFuture bound = server.bootstrap().bind(listen).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      server.close();
      throw new IOException(bound.cause().getMessage(), bound.cause());
    }
    server.listener = bound.channel();
    Descriptors.problem(config.connections()).ifPresent(server.log::warn);
    return server;
  }

  /** The port that the server listens on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Stops accepting connections; existing ones stay open. Blocks briefly. */
  public void stopAccepting() {
    listener.close().awaitUninterruptibly();
  }

  /** Completes the next time no request is in flight. For one caller at a time. */
  public CompletionStage<Void> whenIdle() {
    return inFlight.whenIdle();
  }

  /** Closes every connection and stops the threads. Blocks briefly. */
  @Override
  public void close() {
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    connections.close().awaitUninterruptibly(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    readers.shutdownNow();
    timeouts.close();
    transport
        .loops()
        .shutdownGracefully(0, STOP_SECONDS_MAX, TimeUnit.SECONDS)
        .awaitUninterruptibly(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    awaitReaders();
  }

  /**
   * Waits for the reader threads, so that their reads end before storage closes; the guard of
   * storage protects native memory from these reads and from those of event loops.
   */
  private void awaitReaders() {
    try {
      readers.awaitTermination(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Map<Opcode, RequestHandler> handlers(RpcContext context) {
    RegionLookup regionLookup =
        new RegionLookup(context.topology(), context.servingState(), context.measuresLoad());
    ReadExecutor reads =
        new ReadExecutor(
            regionLookup, context.linearizable(), timeouts, readers, config.retryAfter());
    Map<Opcode, RequestHandler> ofCluster =
        ClusterHandlers.of(context.topology(), context.cluster(), limits.operations(), readers);
    Map<Opcode, RequestHandler> byOpcode = new EnumMap<>(Opcode.class);
    for (Opcode opcode : Opcode.values()) {
      RequestHandler handler =
          switch (opcode) {
            case HELLO ->
                new HelloHandler(
                    context.topology(),
                    context.servingState(),
                    limits,
                    config.perConnection(),
                    context.version());
            case TOPOLOGY -> new TopologyHandler(context.topology(), context.servingState());
            case WRITE ->
                new WriteHandler(
                    regionLookup,
                    context.servingState(),
                    limits.operations(),
                    context.commandBytesMax(),
                    timeouts,
                    new BodyWrites(readers, config.retryAfter()));
            case GET ->
                new GetHandler(regionLookup, limits.operations(), reads, config.retryAfter());
            case SCAN -> scans(ScanOrder.FORWARD, regionLookup, reads);
            case SCAN_REVERSE -> scans(ScanOrder.REVERSE, regionLookup, reads);
            case READ_REPLY ->
                new QuorumReadHandler(regionLookup, limits.operations(), reads, inFlight::requests);
            case STATUS -> new StatusHandler(context.status());
            case AUTHENTICATE ->
                request -> {
                  throw new IllegalStateException("The connection serves it");
                };
            case TRANSFER_LEADER,
                MOVE_REPLICA,
                CHANGE_NODES,
                SPLIT_REGION,
                CONFIRM_PLAN,
                MERGE_REGION,
                VERIFY_REGION,
                ACCESS,
                CHANGE_ACCESS ->
                ofCluster.get(opcode);
          };
      byOpcode.put(opcode, handler);
    }
    return byOpcode;
  }

  private ScanHandler scans(ScanOrder order, RegionLookup lookup, ReadExecutor reads) {
    return new ScanHandler(order, lookup, limits, reads, config.retryAfter());
  }

  /** Three quarters of the node's; never less than a frame and its response. */
  private Budget newBudgetOfAddress() {
    RpcConfig.InFlight node = config.perNode();
    return inFlight.share(
        node.requests() - node.requests() / 4,
        Math.max(node.bytes() - node.bytes() / 4, 2L * limits.frameBytes()));
  }

  private ServerBootstrap bootstrap() {
    int high = config.outboundBytes();
    return new ServerBootstrap()
        .group(transport.loops())
        .channel(transport.serverChannel())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true)
        .childOption(
            ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(high / 2, high))
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                accept(channel);
              }
            });
  }

  private void accept(Channel channel) {
    ConnectionBounds.Decision decision = bounds.decide(channel);
    if (decision instanceof ConnectionBounds.Decision.Close) {
      channel.close();
      return;
    }
    connections.add(channel);
    Optional<RequestRejected> refusal =
        decision instanceof ConnectionBounds.Decision.Refuse refuse
            ? Optional.of(RequestRejected.overloaded(refuse.reason(), config.retryAfter()))
            : Optional.empty();
    ConnectionBounds.Decision.Admit shared =
        decision instanceof ConnectionBounds.Decision.Admit admit
            ? admit
            : new ConnectionBounds.Decision.Admit(new Budget(1, 0), new Budget(1, 0));
    Optional<SslHandler> encryption =
        security.map(each -> new SslHandler(each.tls().acceptingAnyone()));
    encryption.ifPresent(
        handler ->
            channel
                .pipeline()
                .addLast(
                    new ClientRefusal(
                        "This node serves only clients that use TLS (--certs DIRECTORY,"
                            + " ClientOptions.certificates)."))
                .addLast(handler));
    Budget ofConnection = config.perConnection().newBudget();
    FrameReader.Budgets budgets =
        new FrameReader.Budgets(ofConnection, shared.receiving(), shared.inFlight(), control);
    channel
        .pipeline()
        .addLast(new FrameReader(limits.frameBytes(), config.timeouts().frame(), budgets))
        .addLast(
            new ClientConnection(
                handlers,
                new ClientIdentity(security, encryption),
                config,
                metrics,
                log,
                refusal,
                founding,
                ofConnection));
  }
}

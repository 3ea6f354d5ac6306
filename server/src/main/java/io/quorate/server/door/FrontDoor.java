package io.quorate.server.door;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.quorate.client.wire.Frames;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.consensus.Telemetry;
import io.quorate.server.config.DoorConfig;
import io.quorate.server.config.LimitsConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Listens for clients and serves them. Opened and closed by one thread. */
public final class FrontDoor implements AutoCloseable {
  private static final int BACKLOG = 1024;
  private static final long STOP_SECONDS_MOST = 5;

  private final DoorConfig config;
  private final LimitsConfig limits;
  private final DoorMetrics metrics;
  private final InFlightBudget inFlight;
  private final Deadlines deadlines;
  private final ThreadPoolExecutor readers;
  private final Map<Opcode, RequestHandler> handlers;
  private final Transport transport;
  private final ChannelGroup connections =
      new DefaultChannelGroup("quorate-connections", GlobalEventExecutor.INSTANCE);
  private Channel listener;

  private FrontDoor(
      DoorConfig config, LimitsConfig limits, DoorServices services, Telemetry telemetry) {
    this.config = config;
    this.limits = limits;
    this.metrics = new DoorMetrics(telemetry);
    this.inFlight = new InFlightBudget(config.perNode());
    this.deadlines = new Deadlines(config.requestTimeout());
    // The queue can hold everything that is admitted: the bounds on that are its bounds.
    this.readers =
        new ThreadPoolExecutor(
            config.readThreads(),
            config.readThreads(),
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(config.perNode().requests()),
            new DefaultThreadFactory("quorate-reader"));
    this.handlers = handlers(services);
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
   * Starts to listen. Blocks until it does.
   *
   * @param listen the address; port 0 for any free one
   * @throws IOException if it cannot be listened on; nothing is left running
   */
  public static FrontDoor open(
      InetSocketAddress listen,
      DoorConfig config,
      LimitsConfig limits,
      DoorServices services,
      Telemetry telemetry)
      throws IOException {
    FrontDoor door = new FrontDoor(config, limits, services, telemetry);
    ChannelFuture bound = door.bootstrap().bind(listen).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      door.close();
      throw new IOException(bound.cause().getMessage(), bound.cause());
    }
    door.listener = bound.channel();
    return door;
  }

  /** The port that is listened on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Takes no further connections; those there are go on. Blocks for a moment. */
  public void stopAccepting() {
    listener.close().awaitUninterruptibly();
  }

  /** Completes the next time no request is in flight. For one caller at a time. */
  public CompletionStage<Void> whenIdle() {
    return inFlight.whenIdle();
  }

  /** Closes every connection and ends the threads. Blocks for a moment. */
  @Override
  public void close() {
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    connections.close().awaitUninterruptibly(STOP_SECONDS_MOST, TimeUnit.SECONDS);
    readers.shutdownNow();
    deadlines.close();
    transport
        .loops()
        .shutdownGracefully(0, STOP_SECONDS_MOST, TimeUnit.SECONDS)
        .awaitUninterruptibly(STOP_SECONDS_MOST, TimeUnit.SECONDS);
    awaitReaders();
  }

  /** Storage must not be closed under a reader. */
  private void awaitReaders() {
    try {
      readers.awaitTermination(STOP_SECONDS_MOST, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Map<Opcode, RequestHandler> handlers(DoorServices services) {
    RegionRouter router = new RegionRouter(services.map(), services.gate());
    ReadPath reads = new ReadPath(services.linearizable(), deadlines, readers, config.retryAfter());
    Map<Opcode, RequestHandler> byOpcode = new EnumMap<>(Opcode.class);
    byOpcode.put(
        Opcode.HELLO,
        new HelloHandler(
            services.map(), services.gate(), limits, config.perConnection(), services.version()));
    byOpcode.put(Opcode.TOPOLOGY, new TopologyHandler(services.map()));
    byOpcode.put(
        Opcode.WRITE,
        new WriteHandler(
            router, services.gate(), limits.operations(), services.commandBytesMax(), deadlines));
    byOpcode.put(Opcode.GET, new GetHandler(router, limits.operations(), reads));
    byOpcode.put(Opcode.SCAN, new ScanHandler(router, limits, reads));
    byOpcode.put(
        Opcode.SHARE, new ShareHandler(router, limits.operations(), reads, inFlight::requests));
    byOpcode.put(Opcode.STATUS, new StatusHandler(services.status()));
    byOpcode.put(
        Opcode.TRANSFER_LEADER,
        new TransferLeaderHandler(services.map(), services.transferTimeout()));
    return byOpcode;
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
                welcome(channel);
              }
            });
  }

  private void welcome(Channel channel) {
    if (connections.size() >= config.connections()) {
      turnAway(channel);
      return;
    }
    connections.add(channel);
    channel
        .pipeline()
        .addLast(
            new FrameReader(
                limits.frameBytes(),
                config.frameTimeout(),
                new InFlightBudget(config.perConnection()),
                inFlight))
        .addLast(new ConnectionHandler(handlers, config, metrics));
  }

  private void turnAway(Channel channel) {
    Refusal refusal =
        Refusal.overloaded(
            "This node has "
                + config.connections()
                + " connections (door.connections) and takes no more.",
            config.retryAfter());
    byte[] body = refusal.failure().toByteArray();
    channel
        .writeAndFlush(Frames.of(channel.alloc(), 0, Status.OVERLOADED.code(), body))
        .addListener(ChannelFutureListener.CLOSE);
  }
}

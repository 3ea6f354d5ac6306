package io.quorate.replication.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.quorate.common.HostPort;
import io.quorate.common.Pace;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.Member;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.frame.FrameChecksum;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.PeerEvents;
import io.quorate.replication.transport.handshake.PeerFrames;
import io.quorate.replication.transport.handshake.PeerIdentities;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages and requests to the peers of a node and receives theirs. One instance for each
 * node, shared by all groups. Any thread, unless stated otherwise.
 *
 * <p>Messages are dropped if there is no connection, if too many are unsent, or if the connection
 * is lost. They are not repeated here. Messages that one thread sends to one peer arrive in that
 * order as long as one connection lasts.
 */
public final class PeerTransport implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);
  private static final int BACKLOG = 256;
  private static final int QUEUED_TASKS_MAX = 1024;
  private static final long STOP_SECONDS_MAX = 5;
  private static final long LIVENESS_MILLIS = 250;
  private static final long IDENTITIES_MILLIS = 1000;

  /** The connections to a peer, and the number of its links. */
  private static final class Peer {
    final PeerSender messages;
    final Map<TrafficClass, PeerRpcClient> requests = new EnumMap<>(TrafficClass.class);
    final PeerAddresses addresses;
    final EventLoop loop;

    /** The number of links. Guarded by the transport. */
    int users = 1;

    Peer(Member member, EventLoop loop, PeerTransport transport) {
      this.loop = loop;
      addresses = new PeerAddresses(member.node(), transport.addresses, member.address());
      messages =
          new PeerSender(member.node(), addresses, loop, transport.dialer, transport.context);
      for (TrafficClass traffic : TrafficClass.values()) {
        requests.put(
            traffic,
            new PeerRpcClient(
                member.node(), traffic, addresses, loop, transport.dialer, transport.context));
      }
    }

    void stop() {
      messages.stop();
      requests.values().forEach(PeerRpcClient::stop);
    }
  }

  private final TransportContext context;
  private final Function<NodeId, List<InetSocketAddress>> addresses;
  private final EventLoops loops;
  private final ThreadPoolExecutor identityWriter;
  private final ThreadPoolExecutor lookups;
  private final Dialer dialer;
  private final AcceptedConnections accepted;
  private final Pace snapshotPace;
  private final ConcurrentMap<NodeId, Peer> peers = new ConcurrentHashMap<>();
  private final AtomicBoolean tooLongLogged = new AtomicBoolean();
  private Channel listener;
  private boolean closed;

  private PeerTransport(
      TransportSettings settings,
      KnownNodes nodes,
      PeerIdentities identities,
      PeerEvents events,
      MetricsSink telemetry) {
    this.addresses = nodes.addresses();
    this.identityWriter = singleThread(settings.threadName("identities"));
    this.lookups = singleThread(settings.threadName("lookups"));
    TransportMetrics metrics = new TransportMetrics(telemetry, settings.section());
    this.context =
        new TransportContext(
            settings,
            identities::self,
            new IdentityWriter(
                identities, peers::containsKey, settings.peersMax(), events, identityWriter),
            new Groups(metrics),
            events,
            new PeerLiveness(),
            metrics,
            new RefusalLog(),
            nodes.security(),
            new DefaultChannelGroup(
                "quorate-" + settings.section(), GlobalEventExecutor.INSTANCE, true));
    this.loops = EventLoops.start(settings.threads(), settings.threadName("transport"));
    this.dialer = new Dialer(context, loops, lookups);
    this.snapshotPace = new Pace(settings.snapshotBytesPerSecond(), System.nanoTime());
    this.accepted = new AcceptedConnections(context, new PeerRequestHandler(context), this::peerUp);
    metrics.watch("accepted.connections", "Connections from other nodes", accepted::size);
    metrics.watch("connected.peers", "Nodes that can be sent to", () -> connected().size());
    metrics.watch("unsent.bytes", "Bytes that wait to be sent", this::unsentBytes);
  }

  private static ThreadPoolExecutor singleThread(String name) {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(QUEUED_TASKS_MAX),
        new DefaultThreadFactory(name, true));
  }

  /** The pace of the snapshots that this node receives, of all groups together. */
  public Pace snapshotPace() {
    return snapshotPace;
  }

  /**
   * Starts the transport. Blocks until it listens.
   *
   * @param listen the address; port 0 for any free one
   * @param nodes the addresses of other nodes, which are tried before those with which nodes are
   *     linked, and the security of connections
   * @param identities the recorded identities of this node and its peers
   * @throws IOException if the address cannot be bound; nothing is left running
   */
  public static PeerTransport start(
      TransportSettings settings,
      InetSocketAddress listen,
      KnownNodes nodes,
      PeerIdentities identities,
      PeerEvents events,
      MetricsSink telemetry)
      throws IOException {
    PeerTransport transport = new PeerTransport(settings, nodes, identities, events, telemetry);
    ChannelFuture bound =
        transport
            .bootstrap()
            .bind(new InetSocketAddress(listen.getHostString(), listen.getPort()))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      transport.close();
      throw new IOException(
          "The "
              + settings.engineName()
              + " engine cannot listen on "
              + HostPort.text(listen)
              + ": "
              + Objects.requireNonNullElse(bound.cause().getMessage(), bound.cause().toString()),
          bound.cause());
    }
    transport.listener = bound.channel();
    transport
        .loops
        .group()
        .next()
        .scheduleAtFixedRate(
            transport::checkLiveness, LIVENESS_MILLIS, LIVENESS_MILLIS, TimeUnit.MILLISECONDS);
    transport
        .loops
        .group()
        .next()
        .scheduleAtFixedRate(
            transport::checkIdentities, 0, IDENTITIES_MILLIS, TimeUnit.MILLISECONDS);
    return transport;
  }

  private ServerBootstrap bootstrap() {
    return new ServerBootstrap()
        .group(loops.group())
        .channel(loops.serverChannel())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                accepted.accept(channel);
              }
            });
  }

  /** The port on which this node listens. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /**
   * Passes messages of a group to this listener from now on, and reports the peers to it that are
   * connected already.
   *
   * @throws IllegalStateException if the group has joined already
   */
  public synchronized void join(GroupId group, GroupListener groupListener) {
    requireOpen();
    context.groups().join(group, groupListener);
    peers.values().forEach(peer -> peer.messages.reportTo(groupListener));
  }

  /**
   * Drops messages of the group from now on. A call of its listener that has begun may still be in
   * progress.
   */
  public void leave(GroupId group) {
    context.groups().leave(group);
  }

  /**
   * Keeps a connection to a peer until {@link #unlink} has been called as often as this. The last
   * address replaces earlier ones. Linking this node itself does nothing.
   */
  public synchronized void link(Member member) {
    if (member.node().equals(context.self().node())) {
      return;
    }
    requireOpen();
    Peer known = peers.get(member.node());
    if (known == null) {
      Peer peer = new Peer(member, loops.group().next(), this);
      peers.put(member.node(), peer);
      peer.messages.start();
      return;
    }
    known.users++;
    if (!known.addresses.linked().equals(member.address())) {
      known.addresses.link(member.address());
      known.messages.addressChanged();
    }
  }

  /** Undoes one {@link #link}; does nothing if there is none. */
  public synchronized void unlink(NodeId node) {
    Peer peer = peers.get(node);
    if (peer != null && !closed && --peer.users == 0) {
      peers.remove(node);
      peer.stop();
    }
  }

  private void checkIdentities() {
    context.identities().follow();
    context
        .channels()
        .forEach(channel -> channel.pipeline().fireUserEventTriggered(PeerConnection.Check.NEWS));
  }

  private void checkLiveness() {
    if (context.liveness().check()) {
      context.groups().reachabilityChanged();
    }
  }

  /** Whether the peer has sent anything, for any group, within about the last second. */
  public boolean isReachable(NodeId node) {
    return context.liveness().reachable().contains(node);
  }

  /** The peers to which there is a connection for messages. */
  public Set<NodeId> connected() {
    return peers.entrySet().stream()
        .filter(entry -> entry.getValue().messages.isConnected())
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Queues a message for the next {@link #flush}, or drops it. Never blocks. The message is encoded
   * in this call, once for all receivers.
   *
   * @param to linked peers; for other nodes, including this one, the message is dropped
   */
  public void send(GroupId group, List<NodeId> to, Payload message) {
    List<PeerSender> links = new ArrayList<>(to.size());
    for (NodeId node : to) {
      Peer peer = peers.get(node);
      if (peer != null && peer.messages.isConnected()) {
        links.add(peer.messages);
      }
    }
    if (links.size() < to.size()) {
      context.metrics().dropped(TransportMetrics.Drop.NOT_CONNECTED, to.size() - links.size());
    }
    if (links.isEmpty()) {
      return;
    }
    ByteBuf frame =
        PeerFrames.begin(ByteBufAllocator.DEFAULT, FrameType.MESSAGE, message.expectedBytes());
    try {
      message.write(frame.writeInt(group.value()));
      int length = CheckedFrame.length(frame);
      if (length > context.settings().frameBytesMax()) {
        context.metrics().dropped(TransportMetrics.Drop.TOO_LONG, links.size());
        logTooLong(group, length);
        return;
      }
      PeerFrames.end(frame);
      links.forEach(link -> link.offer(frame));
    } finally {
      frame.release();
    }
  }

  /** Logs only the first such message, because the protocol repeats its messages. */
  private void logTooLong(GroupId group, int bytes) {
    if (tooLongLogged.compareAndSet(false, true)) {
      LOG.error(
          "A message does not fit a frame and can never be sent; raise {} on every node group={}"
              + " bytes={} bound={}",
          context.settings().key("frame-size-max"),
          group,
          bytes,
          context.settings().frameBytesMax());
    }
  }

  /** Transmits the queued messages of all groups. One call after many sends saves system calls. */
  public void flush() {
    peers.values().forEach(peer -> peer.messages.flush());
  }

  /**
   * Runs a short task on the event loop that sends to a peer and receives its responses: after what
   * they lead to. Where there is none, on the calling thread.
   */
  public void execute(NodeId node, Runnable task) {
    Peer peer = peers.get(node);
    try {
      (peer == null ? (Executor) Runnable::run : peer.loop).execute(task);
    } catch (RejectedExecutionException e) {
      // The event loops have ended.
      task.run();
    }
  }

  /**
   * Sends a request to a group at a peer. Never blocks. Does not retry.
   *
   * @param request the parts of the request, in order; their bytes never change, as they are sent
   *     without a copy
   * @param timeout how long to wait for the response
   * @return the response, which belongs to the caller. It completes on an event loop, so dependent
   *     stages must not block there. Fails with an {@link IOException} that names the reason: the
   *     peer refused, is not linked, cannot be reached, did not respond in time, or too many
   *     requests are in flight. The peer may have received the request.
   */
  public CompletableFuture<ByteBuffer> call(
      NodeId node,
      GroupId group,
      TrafficClass traffic,
      List<ByteBuffer> request,
      RequestTimeout timeout) {
    return find(node, traffic)
        .map(
            client ->
                client.call(
                    group, Unpooled.wrappedBuffer(request.toArray(ByteBuffer[]::new)), timeout))
        .orElseGet(() -> notLinked(node));
  }

  /**
   * As the other method of this name, for a request that is encoded in this call, on the thread of
   * the caller.
   */
  public CompletableFuture<ByteBuffer> call(
      NodeId node,
      GroupId group,
      TrafficClass traffic,
      RequestBody request,
      RequestTimeout timeout) {
    return find(node, traffic)
        .map(client -> client.call(group, encode(request), timeout))
        .orElseGet(() -> notLinked(node));
  }

  private Optional<PeerRpcClient> find(NodeId node, TrafficClass traffic) {
    return Optional.ofNullable(peers.get(node)).map(peer -> peer.requests.get(traffic));
  }

  private static ByteBuf encode(RequestBody request) {
    int size = request.size();
    ByteBuf bytes = ByteBufAllocator.DEFAULT.ioBuffer(size + FrameChecksum.BYTES);
    try {
      request.write(bytes.nioBuffer(0, size));
      return bytes.writerIndex(size);
    } catch (RuntimeException e) {
      bytes.release();
      throw e;
    }
  }

  private static CompletableFuture<ByteBuffer> notLinked(NodeId node) {
    return CompletableFuture.failedFuture(new IOException("Node " + node + " is not linked."));
  }

  private void peerUp(NodeId node) {
    Optional.ofNullable(peers.get(node)).ifPresent(peer -> peer.messages.connectNow());
  }

  private long unsentBytes() {
    return peers.values().stream().mapToLong(peer -> peer.messages.unsentBytes()).sum();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("The transport is closed");
    }
  }

  /**
   * Closes every connection and ends the threads. Blocks for a moment, so listeners must not call
   * it. Later messages are dropped, later requests fail. A second call does nothing.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    terminate(identityWriter);
    terminate(lookups);
    for (Peer peer : peers.values()) {
      peer.stop();
    }
    peers.clear();
    // Event loops that end at once sometimes leave channels open, on which the peers wait.
    context.channels().close().awaitUninterruptibly(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    loops
        .group()
        .shutdownGracefully(0, STOP_SECONDS_MAX, TimeUnit.SECONDS)
        .awaitUninterruptibly(2 * STOP_SECONDS_MAX, TimeUnit.SECONDS);
  }

  private static void terminate(ThreadPoolExecutor executor) {
    executor.shutdown();
    try {
      if (!executor.awaitTermination(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        LOG.warn("A thread of the transport did not end: {}", executor);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

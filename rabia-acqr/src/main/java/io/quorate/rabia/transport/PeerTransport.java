package io.quorate.rabia.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Telemetry;
import io.quorate.rabia.codec.MessageCodec;
import io.quorate.rabia.protocol.Message;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the replicas of a node and those of its peers say to each other. One a node, shared by all
 * groups. Any thread, unless said otherwise.
 *
 * <p>Messages may be dropped: where there is no connection, where too much is unsent, and where a
 * connection is lost. They are not repeated here. Messages that one thread sends to one peer arrive
 * in that order as long as one connection lasts.
 */
public final class PeerTransport implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);
  private static final int BACKLOG = 256;
  private static final int CHORES_MAX = 1024;
  private static final int MESSAGE_BYTES_EXPECTED = 256;
  private static final long STOP_SECONDS_MOST = 5;
  private static final long LIVENESS_MILLIS = 250;

  /** A peer and the groups that need it. */
  private static final class Peer {
    final MessageLink messages;
    final RequestLink requests;
    volatile InetSocketAddress address;

    /** Guarded by the transport. */
    int users = 1;

    Peer(Member member, EventLoop loop, PeerTransport transport) {
      address = member.address();
      messages =
          new MessageLink(member.node(), () -> address, loop, transport.dialer, transport.context);
      requests =
          new RequestLink(
              member.node(), () -> address, loop, transport.dialer, transport.context.settings());
    }
  }

  private final TransportContext context;
  private final EventLoops loops;
  private final ThreadPoolExecutor identityWriter = chores("quorate-rabia-identities");
  private final ThreadPoolExecutor lookups = chores("quorate-rabia-lookups");
  private final Dialer dialer;
  private final AcceptedConnections accepted;
  private final ConcurrentMap<NodeId, Peer> peers = new ConcurrentHashMap<>();
  private final AtomicBoolean toldTooLong = new AtomicBoolean();
  private Channel listener;
  private boolean closed;

  private PeerTransport(
      TransportSettings settings,
      PeerIdentities identities,
      PeerEvents events,
      Telemetry telemetry) {
    TransportMetrics metrics = new TransportMetrics(telemetry);
    this.context =
        new TransportContext(
            settings,
            identities.self(),
            new IdentityWriter(identities, settings.peersMax(), events, identityWriter),
            new Groups(metrics),
            events,
            new PeerLiveness(),
            metrics,
            new RefusalLog(),
            new DefaultChannelGroup("quorate-rabia", GlobalEventExecutor.INSTANCE, true));
    this.loops = EventLoops.start(settings.threads());
    this.dialer = new Dialer(context, loops, lookups);
    this.accepted =
        new AcceptedConnections(
            context, new RequestDesk(context.groups(), settings.frameBytesMax()), this::isUp);
    telemetry.gauge(
        "rabia.transport.accepted.connections",
        "Connections from other nodes",
        Map.of(),
        accepted::size);
    telemetry.gauge(
        "rabia.transport.connected.peers",
        "Nodes that can be sent to",
        Map.of(),
        () -> connected().size());
    telemetry.gauge(
        "rabia.transport.unsent.bytes", "Bytes that wait to be sent", Map.of(), this::unsentBytes);
  }

  private static ThreadPoolExecutor chores(String name) {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(CHORES_MAX),
        new DefaultThreadFactory(name, true));
  }

  /**
   * Starts to listen. Blocks until it does.
   *
   * @param listen the address; port 0 for any free one
   * @param identities this node's, and where those of its peers are kept
   * @throws IOException if it cannot be listened on; nothing is left running
   */
  public static PeerTransport start(
      TransportSettings settings,
      InetSocketAddress listen,
      PeerIdentities identities,
      PeerEvents events,
      Telemetry telemetry)
      throws IOException {
    PeerTransport transport = new PeerTransport(settings, identities, events, telemetry);
    ChannelFuture bound =
        transport
            .bootstrap()
            .bind(new InetSocketAddress(listen.getHostString(), listen.getPort()))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      transport.close();
      throw new IOException(
          "The Rabia engine cannot listen on "
              + listen.getHostString()
              + ":"
              + listen.getPort()
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

  /** The port that is listened on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /**
   * Hands messages for a group to this listener from now on, and tells it of the peers that are
   * connected already.
   *
   * @throws IllegalStateException if the group has joined already
   */
  public synchronized void join(GroupId group, GroupListener hears) {
    requireOpen();
    context.groups().join(group, hears);
    peers.values().forEach(peer -> peer.messages.tell(hears));
  }

  /**
   * Messages for the group are dropped from now on. A call of its listener that has begun may still
   * be under way.
   */
  public void leave(GroupId group) {
    context.groups().leave(group);
  }

  /**
   * Keeps a connection to a peer until {@link #unlink} has been called as often as this. The
   * address given last holds. To link oneself does nothing.
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
    if (!known.address.equals(member.address())) {
      known.address = member.address();
      known.messages.moved();
    }
  }

  /** Undoes one {@link #link}. Without one it does nothing. */
  public synchronized void unlink(NodeId node) {
    Peer peer = peers.get(node);
    if (peer != null && !closed && --peer.users == 0) {
      peers.remove(node);
      peer.messages.stop();
      peer.requests.stop();
    }
  }

  private void checkLiveness() {
    if (context.liveness().check()) {
      context.groups().reachabilityChanged();
    }
  }

  /** Whether the peer has sent anything, for whatever group, within about the last second. */
  public boolean isReachable(NodeId node) {
    return context.liveness().reachable().contains(node);
  }

  /** The peers that messages reach at this moment, as far as is known. */
  public Set<NodeId> connected() {
    return peers.entrySet().stream()
        .filter(entry -> entry.getValue().messages.isConnected())
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Hands a message over, to leave with the next {@link #flush}, or drops it. Never blocks. It is
   * encoded in this call, once for all receivers.
   *
   * @param to linked peers; to others, the node itself included, it is dropped
   */
  public void send(GroupId group, List<NodeId> to, Message message) {
    List<MessageLink> links = new ArrayList<>(to.size());
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
        Frames.begin(ByteBufAllocator.DEFAULT, FrameType.MESSAGE, expectedBytes(message));
    try {
      MessageCodec.write(message, frame.writeInt(group.value()));
      int length = frame.readableBytes() - Integer.BYTES;
      if (length > context.settings().frameBytesMax()) {
        context.metrics().dropped(TransportMetrics.Drop.TOO_LONG, links.size());
        tellTooLong(group, length);
        return;
      }
      Frames.end(frame);
      links.forEach(link -> link.offer(frame));
    } finally {
      frame.release();
    }
  }

  /** Once: the protocol repeats its messages. */
  private void tellTooLong(GroupId group, int bytes) {
    if (toldTooLong.compareAndSet(false, true)) {
      LOG.error(
          "A message does not fit a frame and can never be sent; raise rabia.frame-size-max on every"
              + " node group={} bytes={} bound={}",
          group,
          bytes,
          context.settings().frameBytesMax());
    }
  }

  /** About how long a message is, so that its buffer need not grow. */
  private static int expectedBytes(Message message) {
    if (message instanceof Message.Content content) {
      return MESSAGE_BYTES_EXPECTED + content.batch().size();
    } else if (message instanceof Message.Request request) {
      return MESSAGE_BYTES_EXPECTED + request.batch().size();
    } else if (message instanceof Message.FetchedBody fetched) {
      return MESSAGE_BYTES_EXPECTED + fetched.batch().size();
    }
    return MESSAGE_BYTES_EXPECTED;
  }

  /**
   * Lets everything go that was sent, of all groups. To be called once after many sends: what
   * leaves together shares system calls.
   */
  public void flush() {
    peers.values().forEach(peer -> peer.messages.flush());
  }

  /**
   * Asks a group at a peer. Never blocks. Repeats nothing.
   *
   * @param request read in this call
   * @return the answer, which is the caller's, completed on an event loop, so that what depends on
   *     it must not block there; or an {@link IOException} that says why there is none: the peer
   *     refused, is not linked, cannot be reached, did not answer within {@code
   *     rabia.request-timeout}, or too many requests wait already. The peer may have got it.
   */
  public CompletableFuture<ByteBuffer> ask(NodeId node, GroupId group, ByteBuffer request) {
    return Optional.ofNullable(peers.get(node))
        .map(peer -> peer.requests.ask(group, request))
        .orElseGet(
            () ->
                CompletableFuture.failedFuture(
                    new IOException("Node " + node + " is not linked.")));
  }

  private void isUp(NodeId node) {
    Optional.ofNullable(peers.get(node)).ifPresent(peer -> peer.messages.hurry());
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
   * Closes every connection and ends the threads. Blocks for a moment, so not to be called by
   * listeners. What is sent from now on is dropped, what is asked fails. A second call does
   * nothing.
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
    end(identityWriter);
    end(lookups);
    for (Peer peer : peers.values()) {
      peer.messages.stop();
      peer.requests.stop();
    }
    peers.clear();
    // Event loops that end at once leave channels open now and then, and the peers waiting.
    context.channels().close().awaitUninterruptibly(STOP_SECONDS_MOST, TimeUnit.SECONDS);
    loops
        .group()
        .shutdownGracefully(0, STOP_SECONDS_MOST, TimeUnit.SECONDS)
        .awaitUninterruptibly(2 * STOP_SECONDS_MOST, TimeUnit.SECONDS);
  }

  private static void end(ThreadPoolExecutor executor) {
    executor.shutdown();
    try {
      if (!executor.awaitTermination(STOP_SECONDS_MOST, TimeUnit.SECONDS)) {
        LOG.warn("A thread of the transport does not end: {}", executor);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

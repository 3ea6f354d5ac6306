package io.quorate.client.fake;

import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.quorate.common.LoopbackPorts;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.FrameDecoder;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import java.net.BindException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One node of a {@link FakeCluster}. Its public methods may be called by any thread. */
public final class FakeNode {
  private final FakeCluster cluster;
  private final String id;
  private final MultiThreadIoEventLoopGroup group;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Map<Opcode, Deque<Reaction>> script = new EnumMap<>(Opcode.class);
  private final Map<Opcode, Reaction> defaults = new EnumMap<>(Opcode.class);
  private final List<FakeRequest> requests = new ArrayList<>();
  private final List<RequestId> ends = new ArrayList<>();
  private Reaction endReaction = FakeRequest::serve;
  private String clusterId = FakeCluster.ID;
  private int frameBytesMax = Frames.FRAME_BYTES_MAX_DEFAULT;
  private int inFlightRequestsMax = 10_000;
  private int accepted;
  private final String host;
  private final int port;
  private Optional<Channel> listener = Optional.empty();

  FakeNode(FakeCluster cluster, String id, MultiThreadIoEventLoopGroup group) {
    this(cluster, id, group, "127.0.0.1", LoopbackPorts.next());
  }

  FakeNode(
      FakeCluster cluster, String id, MultiThreadIoEventLoopGroup group, String host, int port) {
    this.host = host;
    this.port = port;
    this.cluster = cluster;
    this.id = id;
    this.group = group;
  }

  /** Starts to listen, always on the same port. */
  public void start() {
    // A port that was just closed is free only after the next iteration of the selector.
    listener =
        Optional.of(
            await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .ignoreExceptionsInstanceOf(BindException.class)
                .until(this::bind, Channel::isOpen));
  }

  private Channel bind() throws Exception {
    return new ServerBootstrap()
        .group(group)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel connection) {
                accept(connection);
              }
            })
        .bind(host, port)
        .sync()
        .channel();
  }

  /** Stops listening and closes every connection. */
  public void stop() {
    listener.ifPresent(channel -> channel.close().syncUninterruptibly());
    listener = Optional.empty();
    connections.close().syncUninterruptibly();
  }

  /** Closes every connection, as a node does with idle ones. */
  public void closeConnections() {
    connections.close().syncUninterruptibly();
  }

  /** The number of open connections. */
  public int connections() {
    return connections.size();
  }

  public String id() {
    return id;
  }

  public int port() {
    return port;
  }

  String host() {
    return host;
  }

  public String address() {
    return host + ":" + port;
  }

  /** Scripts the reaction to the next request of this kind; further calls script later ones. */
  public synchronized FakeNode next(Opcode opcode, Reaction reaction) {
    script.computeIfAbsent(opcode, absent -> new ArrayDeque<>()).add(reaction);
    return this;
  }

  /** Sets the reaction to every request of this kind for which {@link #next} scripted none. */
  public synchronized FakeNode always(Opcode opcode, Reaction reaction) {
    defaults.put(opcode, reaction);
    return this;
  }

  /** Sets the reaction to every request that ends a session; it counts as no write. */
  public synchronized FakeNode atEnd(Reaction reaction) {
    endReaction = reaction;
    return this;
  }

  /** The ids of all received requests that end a session, in order. */
  public synchronized List<RequestId> ends() {
    return List.copyOf(ends);
  }

  /** Removes all reactions that were set by {@link #next} and {@link #always}. */
  public synchronized void serveNormally() {
    script.clear();
    defaults.clear();
  }

  /** Sets the cluster id that the node reports. */
  public synchronized void clusterId(String value) {
    clusterId = value;
  }

  synchronized String clusterId() {
    return clusterId;
  }

  /** Sets the limits that the node announces in later handshakes. */
  public synchronized void limits(int frameBytes, int inFlightRequests) {
    frameBytesMax = frameBytes;
    inFlightRequestsMax = inFlightRequests;
  }

  synchronized int frameBytesMax() {
    return frameBytesMax;
  }

  synchronized int inFlightRequestsMax() {
    return inFlightRequestsMax;
  }

  /** Runs a task on the thread that handles requests, and waits for its end. */
  public void run(Runnable task) {
    group.submit(task).syncUninterruptibly();
  }

  /** The request ids of all received writes, in order. */
  public synchronized List<RequestId> writes() {
    return requests.stream()
        .filter(request -> request.opcode() == Opcode.WRITE)
        .map(request -> request.command().tag())
        .toList();
  }

  /** The number of received requests of this kind. */
  public synchronized int count(Opcode opcode) {
    return (int) requests.stream().filter(request -> request.opcode() == opcode).count();
  }

  /** All received requests for a read reply, in order. */
  public synchronized List<DataFrames.ReplyRequest> readReplyRequests() {
    return requests.stream()
        .filter(request -> request.opcode() == Opcode.READ_REPLY)
        .map(FakeRequest::readReplyRequest)
        .toList();
  }

  /** The number of connections that it has accepted so far. */
  public synchronized int accepted() {
    return accepted;
  }

  FakeCluster cluster() {
    return cluster;
  }

  private synchronized void accept(Channel connection) {
    accepted++;
    connections.add(connection);
    connection
        .pipeline()
        .addLast(new PreambleReader(), new FrameDecoder(64 << 20), new RequestReader());
  }

  private void received(FakeRequest request) {
    Reaction reaction;
    synchronized (this) {
      if (request.endsSession()) {
        ends.add(request.command().tag());
        reaction = endReaction;
      } else {
        requests.add(request);
        reaction = reactionTo(request);
      }
    }
    reaction.to(request);
  }

  private Reaction reactionTo(FakeRequest request) {
    Deque<Reaction> scripted = script.getOrDefault(request.opcode(), new ArrayDeque<>());
    return scripted.isEmpty()
        ? defaults.getOrDefault(request.opcode(), FakeRequest::serve)
        : scripted.remove();
  }

  private static final class PreambleReader extends ByteToMessageDecoder {
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      if (in.readableBytes() < Preamble.BYTES) {
        return;
      }
      if (in.readInt() != Preamble.current()) {
        context.close();
        return;
      }
      context.pipeline().remove(this);
    }
  }

  private final class RequestReader extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
      long correlation = frame.readLong();
      Opcode opcode = Opcode.of(frame.readUnsignedByte()).orElseThrow();
      byte[] body = new byte[frame.readableBytes()];
      frame.readBytes(body);
      received(new FakeRequest(FakeNode.this, context.channel(), correlation, opcode, body));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}

package io.quorate.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.util.collection.LongObjectHashMap;
import io.quorate.client.wire.Frames;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Preamble;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Failure;
import io.quorate.client.wire.v1.Hello;
import io.quorate.client.wire.v1.Welcome;
import io.quorate.operation.MalformedException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One TCP connection to one node: greeting, many requests in flight, answers in any order. Lives on
 * the event loop, as does everybody who calls it.
 *
 * <p>At most as much is in flight as the server said it takes from one connection; what is more
 * waits here, bounded by the client's own bounds on calls in flight. A request given up by its
 * caller stays counted until the server answers it, because the server counts it too.
 */
final class Connection extends SimpleChannelInboundHandler<ByteBuf> {
  private static final long HELLO_CORRELATION = 1;

  /** A server that cannot tell what it is answering uses this. */
  private static final long NO_CORRELATION = 0;

  /** Who is told when the connection opens and, once in any case, that it has closed. */
  interface Owner {
    void opened(Connection connection, Welcome welcome);

    /**
     * Called before the connection's exchanges fail.
     *
     * @param setback what they will be told
     */
    void closed(Connection connection, Setback setback);
  }

  private record InFlight(Exchange exchange, int bytes) {}

  private final EventLoop loop;
  private final NodeAddress address;
  private final ClientOptions options;
  private final Hello hello;
  private final Owner owner;
  private final LongObjectHashMap<InFlight> inFlight = new LongObjectHashMap<>();
  private final ArrayDeque<Exchange> waiting = new ArrayDeque<>();
  private Channel channel;
  private Optional<Welcome> welcome = Optional.empty();
  private boolean closed;
  private boolean flushing;
  private long lastCorrelation = HELLO_CORRELATION;
  private long inFlightBytes;
  private long lastHeardNanos;

  private Connection(
      EventLoop loop, NodeAddress address, ClientOptions options, Hello hello, Owner owner) {
    super(ByteBuf.class);
    this.loop = loop;
    this.address = address;
    this.options = options;
    this.hello = hello;
    this.owner = owner;
  }

  /** Starts to connect. The owner hears how it went. */
  static Connection open(
      EventLoop loop,
      Bootstrap bootstrap,
      NodeAddress address,
      ClientOptions options,
      Hello hello,
      Owner owner) {
    Connection connection = new Connection(loop, address, options, hello, owner);
    ChannelFuture connecting =
        bootstrap
            .clone()
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(Frames.decoder(options.frameBytesMax()))
                        .addLast(connection);
                  }
                })
            .connect(address.host(), address.port());
    connection.channel = connecting.channel();
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            String reason = "the node at " + address + " cannot be reached: " + text(done.cause());
            loop.execute(() -> connection.close(reason));
          }
        });
    loop.schedule(
        connection::closeUnlessGreeted, options.connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
    return connection;
  }

  boolean isOpen() {
    return welcome.isPresent() && !closed;
  }

  /** How many requests this connection has taken and not settled. */
  int load() {
    return inFlight.size() + waiting.size();
  }

  /** Sends the request, now or when earlier ones have been answered. The connection is open. */
  void send(Exchange exchange) {
    if (!waiting.isEmpty() || !trySend(exchange)) {
      waiting.add(exchange);
    }
  }

  /** Closes the connection; every request on it fails with this reason. */
  void close(String reason) {
    close(new Setback.Lost(true, reason));
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    ByteBuf frame =
        Frames.of(context.alloc(), HELLO_CORRELATION, Opcode.HELLO.code(), hello.toByteArray());
    context.write(context.alloc().ioBuffer(Preamble.BYTES).writeInt(Preamble.current()));
    context.writeAndFlush(frame);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    if (closed) {
      return;
    }
    lastHeardNanos = System.nanoTime();
    try {
      if (frame.readableBytes() < Frames.HEADER_BYTES) {
        throw new MalformedException("a frame is shorter than its header");
      }
      long correlation = frame.readLong();
      int kind = frame.readUnsignedByte();
      Status status =
          Status.of(kind)
              .orElseThrow(() -> new MalformedException("a frame has the status " + kind));
      if (correlation == NO_CORRELATION || welcome.isEmpty()) {
        greeted(correlation, status, frame);
      } else {
        answered(correlation, status, frame);
      }
    } catch (MalformedException e) {
      breach(e.getMessage());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    close("the node at " + address + " closed the connection");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof TooLongFrameException) {
      breach("a frame is longer than " + options.frameBytesMax() + " bytes");
    } else if (cause instanceof IOException) {
      close("the connection to the node at " + address + " broke: " + text(cause));
    } else {
      breach(text(cause));
    }
  }

  private void breach(String what) {
    String reason = "what responds at " + address + " does not keep to the protocol";
    close(
        welcome.isPresent()
            ? new Setback.Lost(true, reason + ": " + what)
            : new Setback.Incompatible(
                reason
                    + " ("
                    + what
                    + "); perhaps it is another port of a node than the one for clients"));
  }

  private void greeted(long correlation, Status status, ByteBuf body) {
    if (status != Status.OK) {
      Failure failure = failure(body);
      Setback setback = new Setback.Answered(node(), status, failure);
      close(
          status == Status.INCOMPATIBLE && welcome.isEmpty()
              ? new Setback.Incompatible(setback.reason())
              : new Setback.Lost(true, setback.reason()));
      return;
    }
    if (correlation != HELLO_CORRELATION) {
      throw new MalformedException("the greeting has the correlation " + correlation);
    }
    Welcome heard;
    try {
      heard = Welcome.parseFrom(new ByteBufInputStream(body));
    } catch (IOException e) {
      throw new MalformedException("the greeting cannot be read");
    }
    if (!hello.getClusterId().isEmpty() && !hello.getClusterId().equals(heard.getClusterId())) {
      close(
          new Setback.Incompatible(
              node()
                  + " belongs to the cluster "
                  + heard.getClusterId()
                  + ", not to "
                  + hello.getClusterId()));
      return;
    }
    welcome = Optional.of(heard);
    watchSilence();
    owner.opened(this, heard);
  }

  private void answered(long correlation, Status status, ByteBuf body) {
    InFlight sent = inFlight.remove(correlation);
    if (sent == null) {
      throw new MalformedException("an answer has the correlation of no request");
    }
    inFlightBytes -= sent.bytes();
    try {
      if (status == Status.OK) {
        sent.exchange().succeeded(body);
      } else {
        sent.exchange().failed(new Setback.Answered(node(), status, failure(body)));
      }
    } catch (MalformedException e) {
      breach(e.getMessage());
      sent.exchange().failed(new Setback.Lost(true, e.getMessage()));
    }
    while (!waiting.isEmpty() && trySend(waiting.peek())) {
      waiting.remove();
    }
  }

  /** Whether the request is off the caller's hands: sent, refused, or no longer wanted. */
  private boolean trySend(Exchange exchange) {
    if (!exchange.isWanted()) {
      return true;
    }
    int bodyBytes = exchange.bodyBytes();
    int bytes = Frames.HEADER_BYTES + bodyBytes;
    Welcome limits = welcome.orElseThrow();
    if (Integer.compareUnsigned(bytes, limits.getFrameBytesMax()) > 0) {
      exchange.failed(
          new Setback.TooLarge(
              node()
                  + " takes frames of at most "
                  + Integer.toUnsignedString(limits.getFrameBytesMax())
                  + " bytes, and the request needs "
                  + bytes));
      return true;
    }
    boolean fits =
        Integer.compareUnsigned(inFlight.size(), limits.getInFlightRequestsMax()) < 0
            && Long.compareUnsigned(inFlightBytes + bytes, limits.getInFlightBytesMax()) <= 0;
    // With nothing in flight it is sent even so: the server says best why it cannot take it.
    if (!fits && !inFlight.isEmpty()) {
      return false;
    }
    if (inFlight.isEmpty()) {
      lastHeardNanos = System.nanoTime();
    }
    long correlation = ++lastCorrelation;
    ByteBuf frame = Frames.begin(channel.alloc(), bodyBytes, correlation, exchange.opcode().code());
    exchange.writeBody(frame);
    inFlight.put(correlation, new InFlight(exchange, bytes));
    inFlightBytes += bytes;
    channel.write(Frames.end(frame), channel.voidPromise());
    flushAtEndOfTurn();
    return true;
  }

  private void flushAtEndOfTurn() {
    if (!flushing) {
      flushing = true;
      loop.execute(
          () -> {
            flushing = false;
            channel.flush();
          });
    }
  }

  private void closeUnlessGreeted() {
    if (welcome.isEmpty()) {
      close(
          "the node at "
              + address
              + " did not greet within "
              + Durations.text(options.connectTimeout()));
    }
  }

  private void watchSilence() {
    if (closed) {
      return;
    }
    long silence = System.nanoTime() - lastHeardNanos;
    if (!inFlight.isEmpty() && silence > options.silenceMax().toNanos()) {
      close(
          node()
              + " has answered nothing for "
              + Durations.text(options.silenceMax())
              + " with requests in flight");
      return;
    }
    loop.schedule(this::watchSilence, options.silenceMax().toNanos() / 4, TimeUnit.NANOSECONDS);
  }

  private void close(Setback setback) {
    if (closed) {
      return;
    }
    closed = true;
    channel.close();
    owner.closed(this, setback);
    List<InFlight> lost = new ArrayList<>(inFlight.values());
    inFlight.clear();
    inFlightBytes = 0;
    lost.forEach(sent -> sent.exchange().failed(setback));
    Setback unsent =
        setback instanceof Setback.Lost ? new Setback.Lost(false, setback.reason()) : setback;
    waiting.forEach(exchange -> exchange.failed(unsent));
    waiting.clear();
  }

  private String node() {
    return welcome
        .map(heard -> "node " + heard.getNodeId() + " at " + address)
        .orElse("the node at " + address);
  }

  private static Failure failure(ByteBuf body) {
    try {
      return Failure.parseFrom(new ByteBufInputStream(body));
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedException("an error cannot be read");
    } catch (IOException e) {
      throw new MalformedException("an error cannot be read: " + e.getMessage());
    }
  }

  private static String text(Throwable cause) {
    // Where connecting fails, the outer exception repeats the address and the inner one does not.
    Throwable plainest = cause.getCause() instanceof ConnectException inner ? inner : cause;
    String message = plainest.getMessage();
    return message == null ? plainest.getClass().getSimpleName() : message;
  }
}

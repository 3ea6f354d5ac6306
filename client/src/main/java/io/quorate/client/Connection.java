package io.quorate.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.util.collection.LongObjectHashMap;
import io.quorate.client.wire.FoundingId;
import io.quorate.client.wire.FrameDecoder;
import io.quorate.client.wire.Frames;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Preamble;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Failure;
import io.quorate.client.wire.v1.Hello;
import io.quorate.client.wire.v1.Welcome;
import io.quorate.common.DecodeException;
import io.quorate.connect.AddressRace;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One TCP connection to one node: a handshake, then many requests in flight with responses in any
 * order. Used by the event loop only.
 *
 * <p>The number and bytes of in-flight requests stay within the limits that the server announced
 * for one connection; further requests wait in a queue here, which the client's own bounds on calls
 * in flight limit. A request that its call has abandoned counts as in flight until the server
 * responds to it, because the server counts it too.
 */
final class Connection extends SimpleChannelInboundHandler<ByteBuf> {
  private static final long HELLO_CORRELATION = 1;

  /** The correlation of a response to a request that the server could not identify. */
  private static final long NO_CORRELATION = 0;

  /** Called when the connection opens, and once in any case when it has closed. */
  interface Owner {
    void opened(Connection connection, Welcome welcome);

    /**
     * Called before the requests on the connection fail.
     *
     * @param failure the failure of these requests
     */
    void closed(Connection connection, AttemptFailure failure);

    /**
     * The pause before the greeting is repeated on the same connection.
     *
     * @param refusals the number of earlier refusals of it
     * @param retryAfter the pause that the node asked for
     */
    Duration pauseAfter(int refusals, Duration retryAfter);
  }

  private record InFlight(PendingRequest request, int bytes) {}

  private final EventLoop loop;
  private final NodeAddress address;
  private final ClientOptions options;
  private final Hello hello;
  private final Owner owner;
  private final LongObjectHashMap<InFlight> inFlight = new LongObjectHashMap<>();
  private final ArrayDeque<PendingRequest> waiting = new ArrayDeque<>();
  private AddressRace race;
  // Null before it is connected.
  private Channel channel;
  private Optional<Welcome> welcome = Optional.empty();
  private Optional<UUID> founding = Optional.empty();
  private Duration retryAfter = Duration.ZERO;
  private int refusedGreetings;
  private boolean connected;
  private boolean answered;
  private boolean closed;
  private boolean flushing;
  private long lastCorrelation = HELLO_CORRELATION;
  private long inFlightBytes;
  private long lastReceivedNanos;

  private Connection(
      EventLoop loop, NodeAddress address, ClientOptions options, Hello hello, Owner owner) {
    super(ByteBuf.class);
    this.loop = loop;
    this.address = address;
    this.options = options;
    this.hello = hello;
    this.owner = owner;
  }

  /**
   * Starts to connect. The outcome is reported to the owner.
   *
   * @param connecting connects to the address
   */
  static Connection open(
      EventLoop loop,
      Function<AddressRace.Outcome, AddressRace> connecting,
      NodeAddress address,
      ClientOptions options,
      Hello hello,
      Owner owner) {
    Connection connection = new Connection(loop, address, options, hello, owner);
    connection.race = connecting.apply(connection.new Connecting());
    loop.schedule(
        connection::closeUnlessConnected, options.connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
    return connection;
  }

  private final class Connecting implements AddressRace.Outcome {
    @Override
    public void connected(Channel established) {
      channel = established;
      established
          .pipeline()
          .addLast(new FrameDecoder(options.frameBytesMax()))
          .addLast(Connection.this);
    }

    @Override
    public void failed(Throwable cause) {
      close("the node at " + address + " cannot be reached: " + text(cause));
    }
  }

  /** Whether the host has several addresses, at which there may be other nodes. */
  boolean hasOtherAddresses() {
    return race.addresses() > 1;
  }

  boolean isOpen() {
    return welcome.isPresent() && !closed;
  }

  /**
   * Whether the node had accepted the connection and was too busy to greet: each further attempt is
   * work for it.
   */
  boolean wasTooBusy() {
    return connected && !answered;
  }

  /** How long the node asked to wait, if it rejected the connection. */
  Duration retryAfter() {
    return retryAfter;
  }

  /** The name of the node, once the connection is open. */
  String nodeId() {
    return welcome.orElseThrow().getNodeId();
  }

  /** The founding of the cluster of the node; empty if the node did not know it. */
  Optional<UUID> founding() {
    return founding;
  }

  /** The number of requests that this connection has accepted and not settled. */
  int load() {
    return inFlight.size() + waiting.size();
  }

  /**
   * Sends the request, immediately or when earlier ones have received their responses. The
   * connection must be open.
   */
  void send(PendingRequest request) {
    if (!waiting.isEmpty() || !trySend(request)) {
      waiting.add(request);
    }
  }

  /** Closes the connection; every request on it fails with this reason. */
  void close(String reason) {
    close(new AttemptFailure.Lost(true, reason));
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    connected = true;
    lastReceivedNanos = System.nanoTime();
    context.write(context.alloc().ioBuffer(Preamble.BYTES).writeInt(Preamble.current()));
    sendHello();
    checkGreeting();
  }

  private void sendHello() {
    if (!closed) {
      channel.writeAndFlush(
          Frames.of(channel.alloc(), HELLO_CORRELATION, Opcode.HELLO.code(), hello.toByteArray()));
    }
  }

  /**
   * A node that has much to do answers late. Beginning anew would only add to that, so a connection
   * that is established waits for as long as one with requests in flight.
   */
  private void checkGreeting() {
    if (closed || welcome.isPresent()) {
      return;
    }
    long left = options.silenceMax().toNanos() - (System.nanoTime() - lastReceivedNanos);
    if (left <= 0) {
      closeUngreeted(options.silenceMax());
    } else {
      loop.schedule(this::checkGreeting, left, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    if (closed) {
      return;
    }
    lastReceivedNanos = System.nanoTime();
    try {
      if (frame.readableBytes() < Frames.HEADER_BYTES) {
        throw new DecodeException("a frame is shorter than its header");
      }
      long correlation = frame.readLong();
      int kind = frame.readUnsignedByte();
      Status status =
          Status.of(kind).orElseThrow(() -> new DecodeException("a frame has the status " + kind));
      if (correlation == NO_CORRELATION || welcome.isEmpty()) {
        handshake(correlation, status, frame);
      } else {
        responded(correlation, status, frame);
      }
    } catch (DecodeException e) {
      protocolViolation(e.getMessage());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    close("the node at " + address + " closed the connection");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof TooLongFrameException) {
      protocolViolation("a frame is longer than " + options.frameBytesMax() + " bytes");
    } else if (cause instanceof CorruptedFrameException) {
      close("the connection to the node at " + address + " was closed: " + text(cause));
    } else if (cause instanceof IOException) {
      close("the connection to the node at " + address + " broke: " + text(cause));
    } else {
      protocolViolation(text(cause));
    }
  }

  private void protocolViolation(String what) {
    String reason = "what responds at " + address + " does not keep to the protocol";
    close(
        welcome.isPresent()
            ? new AttemptFailure.Lost(true, reason + ": " + what)
            : new AttemptFailure.Incompatible(
                reason + " (" + what + "); perhaps the port is not the client port of a node"));
  }

  private void handshake(long correlation, Status status, ByteBuf body) {
    if (status != Status.OK) {
      Failure failure = failure(body);
      AttemptFailure rejection = new AttemptFailure.ErrorResponse(node(), status, failure);
      retryAfter = Duration.ofMillis(Integer.toUnsignedLong(failure.getRetryAfterMs()));
      if (status == Status.OVERLOADED && correlation == HELLO_CORRELATION) {
        // The connection is the costly part: it stays, and only the greeting is repeated.
        long pause = owner.pauseAfter(refusedGreetings++, retryAfter).toNanos();
        loop.schedule(this::sendHello, pause, TimeUnit.NANOSECONDS);
        return;
      }
      answered = status != Status.OVERLOADED;
      close(
          status == Status.INCOMPATIBLE && welcome.isEmpty()
              ? new AttemptFailure.Incompatible(rejection.reason())
              : new AttemptFailure.Lost(true, rejection.reason()));
      return;
    }
    if (correlation != HELLO_CORRELATION) {
      throw new DecodeException("the handshake response has the correlation " + correlation);
    }
    Welcome received;
    try {
      received = Welcome.parseFrom(new ByteBufInputStream(body));
    } catch (IOException e) {
      throw new DecodeException("the handshake response is malformed");
    }
    if (!hello.getClusterId().isEmpty() && !hello.getClusterId().equals(received.getClusterId())) {
      close(
          new AttemptFailure.Incompatible(
              node()
                  + " belongs to the cluster "
                  + received.getClusterId()
                  + ", not to "
                  + hello.getClusterId()));
      return;
    }
    founding = FoundingId.of(received.getTopology());
    welcome = Optional.of(received);
    checkSilence();
    owner.opened(this, received);
  }

  private void responded(long correlation, Status status, ByteBuf body) {
    InFlight sent = inFlight.remove(correlation);
    if (sent == null) {
      throw new DecodeException("a response has an unknown correlation");
    }
    inFlightBytes -= sent.bytes();
    try {
      if (status == Status.OK) {
        sent.request().succeeded(body);
      } else {
        sent.request().failed(new AttemptFailure.ErrorResponse(node(), status, failure(body)));
      }
    } catch (DecodeException e) {
      protocolViolation(e.getMessage());
      sent.request().failed(new AttemptFailure.Lost(true, e.getMessage()));
    }
    while (!waiting.isEmpty() && trySend(waiting.peek())) {
      waiting.remove();
    }
  }

  /**
   * Returns whether the request can leave the queue: it was sent, rejected, or is no longer wanted.
   */
  private boolean trySend(PendingRequest request) {
    if (!request.isWanted()) {
      return true;
    }
    int bodyBytes = request.bodyBytes();
    int bytes = Frames.HEADER_BYTES + bodyBytes;
    Welcome limits = welcome.orElseThrow();
    if (Integer.compareUnsigned(bytes, limits.getFrameBytesMax()) > 0) {
      request.failed(
          new AttemptFailure.TooLarge(
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
    // A request that exceeds the limits alone is sent: the server responds with the exact error.
    if (!fits && !inFlight.isEmpty()) {
      return false;
    }
    if (inFlight.isEmpty()) {
      lastReceivedNanos = System.nanoTime();
    }
    long correlation = ++lastCorrelation;
    ByteBuf frame = Frames.begin(channel.alloc(), bodyBytes, correlation, request.opcode().code());
    request.writeBody(frame);
    inFlight.put(correlation, new InFlight(request, bytes));
    inFlightBytes += bytes;
    channel.write(Frames.end(frame), channel.voidPromise());
    flushAtEndOfIteration();
    return true;
  }

  private void flushAtEndOfIteration() {
    if (!flushing) {
      flushing = true;
      loop.execute(
          () -> {
            flushing = false;
            channel.flush();
          });
    }
  }

  private void closeUnlessConnected() {
    if (!connected) {
      closeUngreeted(options.connectTimeout());
    }
  }

  private void closeUngreeted(Duration within) {
    close(
        "the node at "
            + address
            + " did not complete the handshake within "
            + Durations.text(within));
  }

  private void checkSilence() {
    if (closed) {
      return;
    }
    long silence = System.nanoTime() - lastReceivedNanos;
    if (!inFlight.isEmpty() && silence > options.silenceMax().toNanos()) {
      close(
          node()
              + " has sent nothing for "
              + Durations.text(options.silenceMax())
              + " with requests in flight");
      return;
    }
    loop.schedule(this::checkSilence, options.silenceMax().toNanos() / 4, TimeUnit.NANOSECONDS);
  }

  private void close(AttemptFailure failure) {
    if (closed) {
      return;
    }
    closed = true;
    race.cancel();
    owner.closed(this, failure);
    List<InFlight> lost = new ArrayList<>(inFlight.values());
    inFlight.clear();
    inFlightBytes = 0;
    lost.forEach(sent -> sent.request().failed(failure));
    AttemptFailure unsent =
        failure instanceof AttemptFailure.Lost
            ? new AttemptFailure.Lost(false, failure.reason())
            : failure;
    waiting.forEach(request -> request.failed(unsent));
    waiting.clear();
  }

  private String node() {
    return welcome
        .map(received -> "node " + received.getNodeId() + " at " + address)
        .orElse("the node at " + address);
  }

  private static Failure failure(ByteBuf body) {
    try {
      return Failure.parseFrom(new ByteBufInputStream(body));
    } catch (InvalidProtocolBufferException e) {
      throw new DecodeException("an error response is malformed");
    } catch (IOException e) {
      throw new DecodeException("an error response is malformed: " + e.getMessage());
    }
  }

  private static String text(Throwable cause) {
    // Where connecting fails, the outer exception repeats the address and the inner one does not.
    Throwable clearest = cause.getCause() instanceof ConnectException inner ? inner : cause;
    String message = clearest.getMessage();
    return message == null ? clearest.getClass().getSimpleName() : message;
  }
}

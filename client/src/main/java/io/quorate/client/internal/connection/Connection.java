package io.quorate.client.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.util.collection.LongObjectHashMap;
import io.quorate.client.ClientOptions;
import io.quorate.client.Durations;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.DecodeException;
import io.quorate.common.Failpoint;
import io.quorate.protocol.connect.AddressRace;
import io.quorate.protocol.wire.FoundingId;
import io.quorate.protocol.wire.FrameDecoder;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Hello;
import io.quorate.protocol.wire.v1.Welcome;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
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
public final class Connection extends SimpleChannelInboundHandler<ByteBuf> implements Guarded {
  private static final Failpoint READ = Failpoint.named("client.connection.read");

  private static final long HELLO_CORRELATION = 1;

  /** The correlation of a response to a request that the server could not identify. */
  private static final long NO_CORRELATION = 0;

  /** Called when the connection opens, and once in any case when it has closed. */
  public interface Owner {
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
  // Null before it has begun to connect, and before it is connected.
  private AddressRace race;
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
    connection.enterAfter(
        loop, options.connectTimeout().toNanos(), connection::closeUnlessConnected);
    connection.race = connecting.apply(connection.new Connecting());
    return connection;
  }

  private final class Connecting implements AddressRace.Outcome {
    @Override
    public void connected(Channel established) {
      channel = established;
      established.write(established.alloc().ioBuffer(Preamble.BYTES).writeInt(Preamble.current()));
      established
          .pipeline()
          .addLast(new FrameDecoder(options.frameBytesMax()))
          .addLast(Connection.this);
    }

    @Override
    public void failed(Throwable cause) {
      Optional<Throwable> thrown =
          Optional.of(cause).filter(each -> !(each instanceof IOException));
      String why = thrown.map(Throwable::toString).orElseGet(() -> text(cause));
      String reason = "the node at " + address + " cannot be reached: " + why;
      close(new AttemptFailure.Lost(true, reason, thrown));
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
      enterAfter(loop, left, this::checkGreeting);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    if (closed) {
      return;
    }
    lastReceivedNanos = System.nanoTime();
    try {
      READ.passed(address);
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
    } else if (cause instanceof DecoderException) {
      protocolViolation(text(cause));
    } else {
      endWith(cause);
    }
  }

  /** What was received is read no further: it may have been read in part. */
  @Override
  public void thrown(Throwable cause) {
    // It may have answered, which this client could not read.
    answered = true;
    String reason = Guarded.problem(cause) + ", on its connection to " + node();
    close(new AttemptFailure.Lost(true, reason, Optional.of(cause)));
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
      AttemptFailure.ErrorResponse rejection =
          AttemptFailure.ErrorResponse.read(node(), status, body);
      retryAfter = Duration.ofMillis(Integer.toUnsignedLong(rejection.failure().getRetryAfterMs()));
      if (status == Status.OVERLOADED && correlation == HELLO_CORRELATION) {
        // The connection is the costly part: it stays, and only the greeting is repeated.
        long pause = owner.pauseAfter(refusedGreetings++, retryAfter).toNanos();
        enterAfter(loop, pause, this::sendHello);
        return;
      }
      answered = status != Status.OVERLOADED;
      boolean isDenied = status == Status.DENIED;
      close(
          (status == Status.INCOMPATIBLE || isDenied) && welcome.isEmpty()
              ? new AttemptFailure.Incompatible(rejection.reason(), isDenied)
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
    PendingRequest request = sent.request();
    inFlightBytes -= sent.bytes();
    try {
      if (status == Status.OK) {
        request.succeeded(body);
      } else {
        request.failed(AttemptFailure.ErrorResponse.read(node(), status, body));
      }
    } catch (DecodeException e) {
      protocolViolation(e.getMessage());
      fail(request, new AttemptFailure.Lost(true, e.getMessage()));
    } catch (Throwable e) {
      request.endWith(e);
    }
    while (!waiting.isEmpty() && trySend(waiting.peek())) {
      waiting.remove();
    }
  }

  /**
   * Returns whether the request can leave the queue: it was sent, rejected, or is no longer wanted,
   * or a step of it has thrown.
   */
  private boolean trySend(PendingRequest request) {
    try {
      return isSettledBySending(request);
    } catch (Throwable e) {
      request.endWith(e);
      return true;
    }
  }

  private boolean isSettledBySending(PendingRequest request) {
    if (!request.isWanted()) {
      return true;
    }
    int bodyBytes = request.bodyBytes();
    int bytes = Frames.HEADER_BYTES + bodyBytes;
    Welcome limits = welcome.orElseThrow();
    if (Integer.compareUnsigned(bytes, limits.getFrameBytesMax()) > 0) {
      request.failed(
          new AttemptFailure.TooLarge(
              "The request needs "
                  + bytes
                  + " bytes, and "
                  + node()
                  + " takes frames of at most "
                  + Integer.toUnsignedString(limits.getFrameBytesMax())
                  + " bytes (limits.frame)"));
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
    ByteBuf frame = frame(request, bodyBytes, correlation);
    inFlight.put(correlation, new InFlight(request, bytes));
    inFlightBytes += bytes;
    channel.write(frame, channel.voidPromise());
    flushAtEndOfIteration();
    return true;
  }

  private ByteBuf frame(PendingRequest request, int bodyBytes, long correlation) {
    ByteBuf frame = Frames.begin(channel.alloc(), bodyBytes, correlation, request.opcode().code());
    try {
      request.writeBody(frame);
      return Frames.end(frame);
    } catch (Throwable e) {
      frame.release();
      throw e;
    }
  }

  private void flushAtEndOfIteration() {
    if (!flushing) {
      loop.execute(() -> enter(this::flush));
      flushing = true;
    }
  }

  private void flush() {
    flushing = false;
    channel.flush();
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
    enterAfter(loop, options.silenceMax().toNanos() / 4, this::checkSilence);
  }

  private void close(AttemptFailure failure) {
    if (closed) {
      return;
    }
    closed = true;
    enter(() -> Optional.ofNullable(race).ifPresent(AddressRace::cancel));
    enter(() -> owner.closed(this, failure));
    List<InFlight> lost = new ArrayList<>(inFlight.values());
    inFlight.clear();
    inFlightBytes = 0;
    lost.forEach(sent -> fail(sent.request(), failure));
    AttemptFailure unsent = failure instanceof AttemptFailure.Lost sent ? sent.unsent() : failure;
    waiting.forEach(request -> fail(request, unsent));
    waiting.clear();
  }

  private static void fail(PendingRequest request, AttemptFailure failure) {
    request.enter(() -> request.failed(failure));
  }

  private String node() {
    return welcome
        .map(received -> "node " + received.getNodeId() + " at " + address)
        .orElse("the node at " + address);
  }

  private static String text(Throwable cause) {
    // Where connecting fails, the outer exception repeats the address and the inner one does not.
    Throwable clearest = cause.getCause() instanceof ConnectException inner ? inner : cause;
    String message = clearest.getMessage();
    return message == null ? clearest.getClass().getSimpleName() : message;
  }
}

package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.Future;
import io.quorate.common.Budget;
import io.quorate.consensus.Command;
import io.quorate.protocol.frame.AlteredRecord;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.server.access.ClientAddress;
import io.quorate.server.access.Principal;
import io.quorate.server.config.RpcConfig;
import io.quorate.server.rpc.request.DecodedFrame;
import io.quorate.server.rpc.request.ErrorMapper;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.rpc.request.ResponseQueue;
import io.quorate.server.rpc.request.RpcLog;
import io.quorate.server.rpc.request.RpcMetrics;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/**
 * One client connection: requires a handshake first, dispatches requests to their handlers, and
 * applies back-pressure to a client that does not read its responses. Runs on the connection's
 * event loop.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter implements DecodedFrame.Visitor {
  /** Time from the end of output to the close, in which the client can read the last responses. */
  private static final Duration LINGER = Duration.ofSeconds(1);

  /** A connection without a frame or an open request for this long, at most twice, is closed. */
  static final Duration IDLE_TIME = Duration.ofMinutes(10);

  private final Map<Opcode, RequestHandler> handlers;
  private final ClientIdentity identity;
  private final RpcConfig config;
  private final RpcMetrics metrics;
  private final RpcLog log;

  /** Why this connection is refused, if it is: its client is told after its first frame. */
  private final Optional<RequestRejected> refusal;

  /** Of the cluster of this node; empty as long as it is not known. */
  private final Supplier<Optional<UUID>> founding;

  /** The requests of this connection. */
  private final Budget inFlight;

  private ResponseQueue responses;

  /** Of its commands; null until it is known who sends them. */
  private Command.Source source;

  private boolean handshakeDone;

  /**
   * Whether the founding of the cluster was not known when the client was greeted: it may have
   * learnt another one since, from another node.
   */
  private boolean foundingUntold;

  private boolean closing;

  /** Whether a frame has arrived since the last look, or a request was open then. */
  private boolean used;

  private Future<?> handshakeTimer;
  private Future<?> idleTimer;
  private Future<?> stallTimer;

  ClientConnection(
      Map<Opcode, RequestHandler> handlers,
      ClientIdentity identity,
      RpcConfig config,
      RpcMetrics metrics,
      RpcLog log,
      Optional<RequestRejected> refusal,
      Supplier<Optional<UUID>> founding,
      Budget inFlight) {
    this.handlers = handlers;
    this.identity = identity;
    this.config = config;
    this.metrics = metrics;
    this.log = log;
    this.refusal = refusal;
    this.founding = founding;
    this.inFlight = inFlight;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    responses = new ResponseQueue(context.channel());
    handshakeTimer =
        context
            .executor()
            .schedule(
                () -> requireHandshake(context),
                config.timeouts().handshake().toNanos(),
                TimeUnit.NANOSECONDS);
    awaitIdle(context);
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    handshakeTimer.cancel(false);
    idleTimer.cancel(false);
    if (stallTimer != null) {
      stallTimer.cancel(false);
    }
    responses.resume();
    if (source != null) {
      source.leave();
    }
    context.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    used = true;
    ((DecodedFrame) message).accept(this);
  }

  @Override
  public void complete(DecodedFrame.Complete frame) {
    if (refusal.isEmpty()) {
      serve(new Request(responses, frame, metrics, identity.principal(), source()));
      return;
    }
    frame.permit().release();
    if (!closing) {
      // Of no request, so that the client gives the connection up instead of greeting again.
      sendWithoutPermit(0, refusal.get());
      close();
    }
  }

  /** Users take turns, or addresses where there are no users. */
  private Command.Source source() {
    Principal principal = identity.principal();
    if (principal == Principal.NOBODY) {
      return Command.Source.NODE;
    }
    if (source == null) {
      Object user =
          principal.name().isPresent()
              ? principal.name().get()
              : ClientAddress.share(responses.channel().remoteAddress());
      source = new Command.Source(user);
    }
    return source;
  }

  @Override
  public void broken(DecodedFrame.Broken frame) {
    if (closing) {
      return;
    }
    SocketAddress client = responses.channel().remoteAddress();
    metrics.broken();
    if (frame.cause() == DecodedFrame.Cause.ALTERED) {
      metrics.altered();
      log.altered(client, frame.message());
    } else {
      log.closing(client, frame.message());
    }
    RequestRejected rejection = RequestRejected.of(frame.status(), frame.message());
    if (frame.cause() == DecodedFrame.Cause.PREAMBLE) {
      byte[] body = rejection.failure().toByteArray();
      ByteBufAllocator allocator = responses.channel().alloc();
      responses.send(Frames.refusal(allocator, frame.status().code(), body), () -> {});
    } else {
      sendWithoutPermit(0, rejection);
    }
    close();
  }

  private void serve(Request request) {
    if (closing) {
      request.fail(RequestRejected.unavailable("This connection is closing."));
      return;
    }
    if (request.opcode() == Opcode.AUTHENTICATE) {
      authenticate(request);
      return;
    }
    if (!handshakeDone && request.opcode() != Opcode.HELLO) {
      request.fail(RequestRejected.invalid("A connection's first request is a greeting (HELLO)."));
      close();
      return;
    }
    if (request.opcode() == Opcode.HELLO) {
      foundingUntold = founding.get().isEmpty();
    } else if (foundingUntold && request.opcode().isOfRegion() && founding.get().isPresent()) {
      request.fail(
          RequestRejected.elsewhere(
              "This node has joined its cluster since this connection was opened."));
      close();
      return;
    }
    try {
      ClientIdentity.require(request);
      AccessCheck.require(request);
      handlers.get(request.opcode()).handle(request);
      handshakeDone = true;
    } catch (RuntimeException e) {
      RequestRejected rejection = ErrorMapper.toRejection(e);
      request.fail(rejection);
      boolean isGreetingDenied = !handshakeDone && rejection.status() == Status.DENIED;
      if (rejection.status() == Status.INCOMPATIBLE || isGreetingDenied) {
        close();
      }
    }
  }

  private void authenticate(Request request) {
    try {
      identity.authenticate(request, responses.channel().remoteAddress());
    } catch (RuntimeException e) {
      request.fail(ErrorMapper.toRejection(e));
      close();
    }
  }

  @Override
  public void rejected(DecodedFrame.Rejected frame) {
    RequestRejected rejection;
    if (frame.status() == Status.OVERLOADED) {
      metrics.notAdmitted();
      rejection = RequestRejected.overloaded(frame.message(), config.retryAfter());
    } else {
      rejection = RequestRejected.of(frame.status(), frame.message());
    }
    sendWithoutPermit(frame.correlation(), rejection);
  }

  private void sendWithoutPermit(long correlation, RequestRejected rejection) {
    byte[] body = rejection.failure().toByteArray();
    ByteBuf frame =
        Frames.of(responses.channel().alloc(), correlation, rejection.status().code(), body);
    responses.send(frame, () -> {});
  }

  /**
   * Closes the connection after the queued responses have been sent. The socket stays open for
   * {@link #LINGER}: closing it while received bytes are unread could discard the responses before
   * the client reads them.
   */
  private void close() {
    closing = true;
    responses.send(Unpooled.EMPTY_BUFFER, () -> closeGracefully(responses.channel()));
  }

  private static void closeGracefully(Channel channel) {
    if (channel instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
    }
    channel.eventLoop().schedule(() -> channel.close(), LINGER.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void awaitIdle(ChannelHandlerContext context) {
    idleTimer =
        context
            .executor()
            .schedule(() -> closeIfIdle(context), IDLE_TIME.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void closeIfIdle(ChannelHandlerContext context) {
    boolean isOpen = inFlight.requests() > 0;
    if (used || isOpen) {
      used = isOpen;
      awaitIdle(context);
    } else if (!closing) {
      close();
    }
  }

  private void requireHandshake(ChannelHandlerContext context) {
    if (!handshakeDone && context.channel().isActive()) {
      broken(
          new DecodedFrame.Broken(
              Status.INVALID,
              "No handshake was received within "
                  + config.timeouts().handshake().toMillis()
                  + "ms (rpc.handshake-timeout).",
              DecodedFrame.Cause.PROTOCOL));
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    boolean writable = context.channel().isWritable();
    context.channel().config().setAutoRead(writable);
    if (writable) {
      responses.resume();
    }
    if (stallTimer != null) {
      stallTimer.cancel(false);
      stallTimer = null;
    }
    if (!writable) {
      stallTimer =
          context
              .executor()
              .schedule(
                  () -> closeStalled(context),
                  config.timeouts().stall().toNanos(),
                  TimeUnit.NANOSECONDS);
    }
    context.fireChannelWritabilityChanged();
  }

  private void closeStalled(ChannelHandlerContext context) {
    metrics.broken();
    log.stalled(context.channel().remoteAddress());
    context.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    Optional<String> altered = AlteredRecord.of(context, cause);
    if (altered.isPresent()) {
      metrics.broken();
      metrics.altered();
      log.altered(context.channel().remoteAddress(), "TLS: " + altered.get());
    } else if (cause instanceof DecoderException && cause.getCause() instanceof SSLException tls) {
      log.closing(context.channel().remoteAddress(), "TLS: " + tls.getMessage());
    } else if (!(cause instanceof IOException)) {
      log.failed(cause);
    }
    context.close();
  }
}

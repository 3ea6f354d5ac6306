package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import io.quorate.client.wire.Frames;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.server.config.DoorConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: insists on a greeting, hands requests out, keeps a slow reader from
 * piling up answers. On the connection's event loop.
 */
final class ConnectionHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

  /** How long a client may take to read why its connection is closed. */
  private static final Duration LINGER = Duration.ofSeconds(1);

  private final Map<Opcode, RequestHandler> handlers;
  private final DoorConfig config;
  private final DoorMetrics metrics;
  private Outbox outbox;
  private boolean greeted;
  private boolean closing;
  private Future<?> handshakeWatch;
  private Future<?> stallWatch;

  ConnectionHandler(Map<Opcode, RequestHandler> handlers, DoorConfig config, DoorMetrics metrics) {
    this.handlers = handlers;
    this.config = config;
    this.metrics = metrics;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    outbox = new Outbox(context.channel());
    handshakeWatch =
        context
            .executor()
            .schedule(
                () -> requireGreeted(context),
                config.handshakeTimeout().toNanos(),
                TimeUnit.NANOSECONDS);
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    handshakeWatch.cancel(false);
    if (stallWatch != null) {
      stallWatch.cancel(false);
    }
    context.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Inbound inbound = (Inbound) message;
    if (inbound instanceof Inbound.Whole whole) {
      serve(new Request(outbox, whole, metrics));
    } else if (inbound instanceof Inbound.Refused refused) {
      refuse(refused);
    } else if (inbound instanceof Inbound.Broken broken) {
      closeWith(broken.status(), broken.message());
    }
  }

  private void serve(Request request) {
    if (closing) {
      request.fail(Refusal.unavailable("This connection is closing."));
      return;
    }
    if (!greeted && request.opcode() != Opcode.HELLO) {
      request.fail(Refusal.invalid("A connection's first request is a greeting (HELLO)."));
      close();
      return;
    }
    try {
      handlers.get(request.opcode()).handle(request);
      greeted = true;
    } catch (RuntimeException e) {
      Refusal refusal = FailureMapping.refusal(e);
      request.fail(refusal);
      if (refusal.status() == Status.INCOMPATIBLE) {
        close();
      }
    }
  }

  private void refuse(Inbound.Refused refused) {
    Refusal refusal;
    if (refused.status() == Status.OVERLOADED) {
      metrics.notAdmitted();
      refusal = Refusal.overloaded(refused.message(), config.retryAfter());
    } else {
      refusal = Refusal.of(refused.status(), refused.message());
    }
    sendUncounted(refused.correlation(), refusal);
  }

  /** Nothing the client sent after this point is served. */
  private void closeWith(Status status, String message) {
    if (closing) {
      return;
    }
    metrics.broken();
    LOG.atInfo()
        .addKeyValue("client", outbox.channel().remoteAddress())
        .addKeyValue("reason", message)
        .log("Closing a connection");
    sendUncounted(0, Refusal.of(status, message));
    close();
  }

  private void sendUncounted(long correlation, Refusal refusal) {
    byte[] body = refusal.failure().toByteArray();
    ByteBuf frame = Frames.of(outbox.channel().alloc(), correlation, refusal.status().code(), body);
    outbox.send(frame, () -> {});
  }

  /**
   * Closes the connection once what is in the outbox has been sent. The client gets a moment to
   * read it: closing with unread bytes of its own would throw the answer away.
   */
  private void close() {
    closing = true;
    Channel channel = outbox.channel();
    channel
        .eventLoop()
        .execute(
            () ->
                channel
                    .writeAndFlush(Unpooled.EMPTY_BUFFER)
                    .addListener(ignored -> closeSoftly(channel)));
  }

  private static void closeSoftly(Channel channel) {
    ((DuplexChannel) channel).shutdownOutput();
    channel.eventLoop().schedule(() -> channel.close(), LINGER.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void requireGreeted(ChannelHandlerContext context) {
    if (!greeted && context.channel().isActive()) {
      closeWith(
          Status.INVALID,
          "No greeting came within "
              + config.handshakeTimeout().toMillis()
              + "ms (door.handshake-timeout).");
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    boolean writable = context.channel().isWritable();
    context.channel().config().setAutoRead(writable);
    if (stallWatch != null) {
      stallWatch.cancel(false);
      stallWatch = null;
    }
    if (!writable) {
      stallWatch =
          context
              .executor()
              .schedule(
                  () -> closeStalled(context),
                  config.stallTimeout().toNanos(),
                  TimeUnit.NANOSECONDS);
    }
    context.fireChannelWritabilityChanged();
  }

  private void closeStalled(ChannelHandlerContext context) {
    metrics.broken();
    LOG.atInfo()
        .addKeyValue("client", context.channel().remoteAddress())
        .log("Closing a connection whose answers are not read (door.stall-timeout)");
    context.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException)) {
      LOG.atError().setCause(cause).log("A connection failed in a way nobody foresaw");
    }
    context.close();
  }
}

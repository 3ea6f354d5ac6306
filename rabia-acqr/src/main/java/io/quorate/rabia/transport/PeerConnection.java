package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.Future;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a connection between two nodes: what both ends do. Whatever comes in that cannot be
 * accepted closes this connection, with a sentence to the peer, and nothing else. On its event
 * loop.
 */
abstract class PeerConnection extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(PeerConnection.class);

  /** How long a peer may take to read why it is refused. */
  private static final long LINGER_MILLIS = 1000;

  /** Something is sent this often in an idle timeout, at least. */
  private static final int KEEP_ALIVES = 3;

  /** And this often in any case, so that peers know within a second who is gone. */
  private static final long KEEP_ALIVE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(250);

  private final TransportContext context;
  private final FrameReader reader;
  private Channel channel;
  private Future<?> handshakeWatch;
  private boolean greeted;
  private long lastFrameNanos = System.nanoTime();
  private boolean closing;

  PeerConnection(TransportContext context) {
    super(ByteBuf.class);
    this.context = context;
    this.reader = new FrameReader(context.settings().frameBytesMax());
  }

  /** Assembles the pipeline; encryption would go first. */
  final void install(Channel on) {
    channel = on;
    context.channels().add(on);
    long idleNanos = context.settings().idleTimeout().toNanos();
    ChannelPipeline pipeline = on.pipeline();
    pipeline.addLast(
        new IdleStateHandler(
            idleNanos,
            Math.min(KEEP_ALIVE_NANOS_MAX, idleNanos / KEEP_ALIVES),
            0,
            TimeUnit.NANOSECONDS));
    pipeline.addLast(reader);
    pipeline.addLast(this);
  }

  /** The other node, where it is known. */
  abstract Optional<NodeId> peer();

  /** The connection is there. */
  abstract void established();

  /**
   * A frame has come that is neither a refusal nor a keep-alive, whatever the state.
   *
   * @param body the rest of the frame, to be read in this call
   * @throws MalformedException if it cannot be read
   */
  abstract void frame(FrameType type, ByteBuf body) throws Greeting.RefusalException;

  /** The connection is of no more use. Called once. */
  abstract void closed(String why);

  /** Whether it is to be kept although nothing was sent for a while. */
  abstract boolean isWanted();

  final TransportContext context() {
    return context;
  }

  final Channel channel() {
    return channel;
  }

  /** The greeting has gone well: other frames than greetings may come, and long ones. */
  final void greeted() {
    greeted = true;
    handshakeWatch.cancel(false);
    reader.greeted();
  }

  final boolean isGreeted() {
    return greeted && !closing;
  }

  final boolean isClosing() {
    return closing;
  }

  final String address() {
    SocketAddress remote = channel.remoteAddress();
    return remote instanceof InetSocketAddress inet
        ? inet.getHostString() + ":" + inet.getPort()
        : "nowhere";
  }

  private String who() {
    return peer()
        .map(NodeId::value)
        .orElseGet(
            () ->
                channel.remoteAddress() instanceof InetSocketAddress inet
                    ? inet.getHostString()
                    : "unknown");
  }

  /** Says why, and closes. */
  final void refuse(RefusalReason reason, String sentence) {
    if (closing) {
      return;
    }
    context.metrics().refused(reason);
    context.refusals().refusing(who(), address(), reason, sentence);
    end("this node refused it: " + sentence);
    channel
        .writeAndFlush(new Greeting.Refused(reason, sentence).frame(channel.alloc()))
        .addListener(
            written -> {
              // Closed now, with unread bytes, the peer might lose the sentence.
              if (channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
              }
            });
    channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Closes without a word. */
  final void close(String why) {
    end(why);
    if (channel != null) {
      channel.close();
    }
  }

  private void end(String why) {
    if (!closing) {
      closing = true;
      if (handshakeWatch != null) {
        handshakeWatch.cancel(false);
      }
      closed(why);
    }
  }

  @Override
  public final void channelActive(ChannelHandlerContext ignored) {
    if (closing) {
      return;
    }
    handshakeWatch =
        channel
            .eventLoop()
            .schedule(
                () -> close("it did not greet within rabia.handshake-timeout"),
                context.settings().handshakeTimeout().toNanos(),
                TimeUnit.NANOSECONDS);
    established();
  }

  @Override
  protected final void channelRead0(ChannelHandlerContext ignored, ByteBuf frame) {
    if (closing) {
      return;
    }
    try {
      FrameType type = Frames.readType(frame);
      if (greeted) {
        peer().ifPresent(context.liveness()::received);
      }
      if (type == FrameType.REFUSED) {
        refusedByPeer(Greeting.readRefused(frame));
      } else if (type != FrameType.KEEP_ALIVE) {
        lastFrameNanos = System.nanoTime();
        frame(type, frame);
      }
    } catch (MalformedException e) {
      refuse(
          RefusalReason.MALFORMED,
          "What node " + who() + " sent cannot be read: " + e.getMessage() + ".");
    } catch (Greeting.RefusalException e) {
      refuse(e.refused().reason(), e.refused().sentence());
    }
  }

  private void refusedByPeer(Greeting.Refused refused) {
    context.refusals().refusedBy(who(), address(), refused.reason(), refused.sentence());
    peer()
        .ifPresent(node -> context.events().refusedBy(node, refused.reason(), refused.sentence()));
    close("it refused: " + refused.sentence());
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ignored, Object event) {
    // Until the greeting is over, its own time-out holds.
    if (event instanceof IdleStateEvent idle && isGreeted()) {
      if (idle.state() == IdleState.READER_IDLE) {
        close("nothing was heard from it within rabia.idle-timeout");
      } else if (isWanted() || !isUnwantedForLong()) {
        channel.writeAndFlush(Frames.keepAlive(channel.alloc()), channel.voidPromise());
      } else {
        close("it is not needed");
      }
    }
  }

  private boolean isUnwantedForLong() {
    long idleNanos = context.settings().idleTimeout().toNanos();
    return System.nanoTime() - lastFrameNanos >= idleNanos / KEEP_ALIVES;
  }

  @Override
  public final void channelInactive(ChannelHandlerContext ignored) {
    end("it closed the connection");
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext ignored, Throwable cause) {
    if (cause instanceof TooLongFrameException) {
      refuse(RefusalReason.FRAME, "Node " + who() + " breaks a bound: " + cause.getMessage() + ".");
    } else if (cause instanceof IOException) {
      close("the connection broke: " + cause.getMessage());
    } else {
      LOG.error("A connection to a node failed peer={} address={}", who(), address(), cause);
      close("this node failed on it: " + cause);
    }
  }
}

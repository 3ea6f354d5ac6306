package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.Future;
import io.quorate.common.DecodeException;
import io.quorate.common.Failpoint;
import io.quorate.common.HostPort;
import io.quorate.common.LogLimit;
import io.quorate.consensus.KnownNodes.PeerSecurity;
import io.quorate.model.NodeId;
import io.quorate.model.PeerLink;
import io.quorate.protocol.frame.AlteredRecord;
import io.quorate.protocol.frame.ClientGreeting;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.LocalIdentity;
import io.quorate.replication.transport.handshake.PeerFrames;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a connection between two nodes, as far as both ends are the same. Input that cannot be
 * accepted closes this connection, with a refusal to the peer, and no other one. Runs on the event
 * loop of the connection.
 */
abstract class PeerConnection extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(PeerConnection.class);
  private static final LogLimit FAILING = new LogLimit();

  /** A frame was received after the handshake. The subject is the {@link PeerLink} to this node. */
  private static final Failpoint FRAME_RECEIVED = Failpoint.named("transport.frame.received");

  /** How long a refused peer may take to read the refusal. */
  private static final long LINGER_MILLIS = 1000;

  /** The minimum number of keep-alives sent in an idle timeout. */
  private static final int KEEP_ALIVES_MIN = 3;

  /** The maximum interval of keep-alives, so that peers detect a failure within a second. */
  private static final long KEEP_ALIVE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(250);

  /** So many messages are one system call at most. */
  private static final int FLUSHES_MAX = 256;

  private final TransportContext context;
  private final PeerFrameReader reader;
  private Channel channel;
  private Future<?> handshakeTimeout;
  private boolean handshakeComplete;

  /** From the peer to this node; empty before the handshake is complete. */
  private Optional<PeerLink> link = Optional.empty();

  private long lastFrameNanos = System.nanoTime();
  private Optional<LocalIdentity> told = Optional.empty();

  /** What the peer has told since the handshake. */
  private Optional<LocalIdentity> renewed = Optional.empty();

  private boolean greeted;
  private boolean closing;

  PeerConnection(TransportContext context) {
    super(ByteBuf.class);
    this.context = context;
    this.reader = new PeerFrameReader(context.settings());
  }

  /** Assembles the pipeline. */
  final void install(Channel on) {
    channel = on;
    context.channels().add(on);
    long idleNanos = context.settings().connections().idleTimeout().toNanos();
    ChannelPipeline pipeline = on.pipeline();
    context
        .security()
        .ifPresent(security -> pipeline.addLast(new SslHandler(engine(security, on))));
    // What is written in one iteration of the event loop, of whatever groups, is one system call.
    pipeline.addLast(new FlushConsolidationHandler(FLUSHES_MAX, true));
    pipeline.addLast(
        new IdleStateHandler(
            idleNanos,
            Math.min(KEEP_ALIVE_NANOS_MAX, idleNanos / KEEP_ALIVES_MIN),
            0,
            TimeUnit.NANOSECONDS));
    pipeline.addLast(reader);
    pipeline.addLast(this);
  }

  /** What a connection is to do from time to time, as an event of its pipeline. */
  enum Check {
    /** Tell the peer if this node has renewed its start, or knows its founding by now. */
    NEWS
  }

  /** The other node, or empty before its id is known. */
  abstract Optional<NodeId> peer();

  /**
   * Whether the other end may be a node of the cluster. A refusal by any other end is no frame:
   * with one that says that this node has an older copy of its disk, a stranger would end the node.
   */
  abstract boolean isKnownPeer();

  /** What the other node has presented; known once the handshake is complete. */
  abstract Optional<LocalIdentity> identity();

  /** This end of a connection with TLS. */
  abstract SSLEngine engine(PeerSecurity security, Channel on);

  /**
   * Called when the connection is established, after the handshake of TLS if it has one.
   *
   * @param certified the node that the other end is, by its certificate; empty without TLS
   */
  abstract void established(Optional<NodeId> certified);

  /**
   * Called for a frame that is neither a refusal nor a keep-alive, in any state.
   *
   * @param body the rest of the frame, to be read in this call
   * @throws DecodeException if the frame is malformed
   */
  abstract void frame(FrameType type, ByteBuf body) throws Handshake.RefusalException;

  /** Called once, when the connection is closed or about to be. */
  abstract void closed(String reason);

  /** Whether the connection is kept although nothing was sent for a while. */
  abstract boolean isNeeded();

  final TransportContext context() {
    return context;
  }

  final Channel channel() {
    return channel;
  }

  /** Completes the handshake: other and longer frames are accepted from now on. */
  final void completeHandshake() {
    handshakeComplete = true;
    LocalIdentity self = context.self();
    link = peer().map(from -> new PeerLink(self.cluster(), from, self.node()));
    handshakeTimeout.cancel(false);
    reader.handshakeCompleted();
  }

  final boolean isHandshakeComplete() {
    return handshakeComplete && !closing;
  }

  final boolean isClosing() {
    return closing;
  }

  final String address() {
    SocketAddress remote = channel.remoteAddress();
    return remote instanceof InetSocketAddress inet ? HostPort.text(inet) : "nowhere";
  }

  private String peerName() {
    return peer()
        .map(NodeId::value)
        .orElseGet(
            () ->
                channel.remoteAddress() instanceof InetSocketAddress inet
                    ? inet.getHostString()
                    : "unknown");
  }

  /** The identity of this node that the peer is about to receive. */
  final LocalIdentity presented() {
    LocalIdentity present = context.self();
    told = Optional.of(present);
    return present;
  }

  /** Sends the first frame of this direction. */
  final void greet(Handshake greeting) {
    greeted = true;
    channel.writeAndFlush(greeting.greeting(channel.alloc()), channel.voidPromise());
  }

  /** Sends a refusal and closes the connection. */
  final void refuse(RefusalReason reason, String detail) {
    Handshake.Refused refused = new Handshake.Refused(reason, detail);
    refuse(
        reason,
        detail,
        greeted ? refused.frame(channel.alloc()) : refused.greeting(channel.alloc()));
  }

  private void refuseClient() {
    String sentence =
        "This is a port for nodes of a Quorate cluster under "
            + context.settings().engineName()
            + "; clients use the client port of a node.";
    refuse(RefusalReason.VERSION, sentence, ClientGreeting.refusal(channel.alloc(), sentence));
  }

  /**
   * @param encoded sent unless the connection is closing, and released
   */
  private void refuse(RefusalReason reason, String detail, ByteBuf encoded) {
    if (closing) {
      encoded.release();
      return;
    }
    context.metrics().refused(reason);
    context.refusals().refusing(peerName(), address(), reason, detail);
    end("this node refused it: " + detail);
    channel
        .writeAndFlush(encoded)
        .addListener(
            written -> {
              // Closing now, with unread bytes, might lose the refusal at the peer.
              if (channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
              }
            });
    channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Closes the connection without a refusal. */
  final void close(String reason) {
    end(reason);
    if (channel != null) {
      channel.close();
    }
  }

  private void end(String reason) {
    if (!closing) {
      closing = true;
      if (handshakeTimeout != null) {
        handshakeTimeout.cancel(false);
      }
      closed(reason);
    }
  }

  @Override
  public final void channelActive(ChannelHandlerContext ignored) {
    if (closing) {
      return;
    }
    handshakeTimeout =
        channel
            .eventLoop()
            .schedule(
                () ->
                    close(
                        "it did not complete the handshake within "
                            + context.settings().key("handshake-timeout")),
                context.settings().connections().handshakeTimeout().toNanos(),
                TimeUnit.NANOSECONDS);
    if (context.security().isEmpty()) {
      established(Optional.empty());
    }
  }

  private void encrypted(SslHandshakeCompletionEvent handshake) {
    if (closing) {
      return;
    }
    if (!handshake.isSuccess()) {
      close("the handshake of TLS failed: " + handshake.cause().getMessage());
      return;
    }
    SSLSession session = channel.pipeline().get(SslHandler.class).engine().getSession();
    try {
      established(Optional.of(context.security().orElseThrow().nodeOf(session)));
    } catch (SSLPeerUnverifiedException e) {
      context.metrics().refused(RefusalReason.NODE);
      context.refusals().refusing(peerName(), address(), RefusalReason.NODE, e.getMessage());
      close("this node refused it: " + e.getMessage());
    }
  }

  @Override
  protected final void channelRead0(ChannelHandlerContext ignored, ByteBuf frame) {
    if (closing || isLost()) {
      return;
    }
    try {
      FrameType type = PeerFrames.readType(frame);
      if (handshakeComplete) {
        peer().ifPresent(context.liveness()::received);
      }
      if (type == FrameType.REFUSED && isKnownPeer()) {
        refusedByPeer(Handshake.readRefused(frame));
      } else if (type == FrameType.STARTS && handshakeComplete) {
        learn(Handshake.readNews(frame));
      } else if (type != FrameType.KEEP_ALIVE) {
        lastFrameNanos = System.nanoTime();
        frame(type, frame);
      }
    } catch (DecodeException e) {
      refuse(
          RefusalReason.MALFORMED,
          "A frame of node " + peerName() + " cannot be decoded: " + e.getMessage() + ".");
    } catch (Handshake.RefusalException e) {
      refuse(e.refused().reason(), e.refused().detail());
    }
  }

  /** Whether a test loses what is received here, as if the network did. */
  private boolean isLost() {
    if (link.isEmpty()) {
      return false;
    }
    try {
      FRAME_RECEIVED.reached(link.get());
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * The peer has renewed its start, which is recorded durably as at the handshake, or knows its
   * founding by now.
   */
  private void learn(Handshake.News news) {
    LocalIdentity present = identity().orElseThrow().at(news.founding(), news.starts());
    renewed = Optional.of(present);
    if (isOtherFounding(present)) {
      return;
    }
    context
        .identities()
        .learn(
            present,
            channel.eventLoop(),
            result ->
                result
                    .refusal(present.node(), context.settings())
                    .ifPresent(refused -> refuse(refused.reason(), refused.detail())));
  }

  /** Refuses a peer whose cluster was founded at another time. Returns whether it was refused. */
  final boolean isOtherFounding(LocalIdentity peer) {
    Optional<Handshake.Refused> refusal = context.self().refusalOf(peer);
    refusal.ifPresent(refused -> refuse(refused.reason(), refused.detail()));
    return refusal.isPresent();
  }

  private void tellNews() {
    LocalIdentity present = context.self();
    if (renewed.or(this::identity).filter(this::isOtherFounding).isPresent()
        || told.equals(Optional.of(present))) {
      return;
    }
    told = Optional.of(present);
    Handshake.News news = new Handshake.News(present.founding(), present.starts());
    channel.writeAndFlush(Handshake.news(channel.alloc(), news), channel.voidPromise());
  }

  private void refusedByPeer(Handshake.Refused refused) {
    context.refusals().refusedBy(peerName(), address(), refused.reason(), refused.detail());
    if (refused.reason() == RefusalReason.OUTDATED) {
      context.identities().outdated(refused.detail());
    }
    peer().ifPresent(node -> context.events().refusedBy(node, refused.reason(), refused.detail()));
    close("it refused: " + refused.detail());
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ignored, Object event) {
    // The handshake has a timeout of its own.
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      encrypted(handshake);
    } else if (event == Check.NEWS && isHandshakeComplete()) {
      tellNews();
    } else if (event instanceof IdleStateEvent idle && isHandshakeComplete()) {
      if (idle.state() == IdleState.READER_IDLE) {
        close("nothing was received from it within " + context.settings().key("idle-timeout"));
      } else if (isNeeded() || !isIdle()) {
        channel.writeAndFlush(PeerFrames.keepAlive(channel.alloc()), channel.voidPromise());
      } else {
        close("it is not needed");
      }
    }
  }

  private boolean isIdle() {
    long idleNanos = context.settings().connections().idleTimeout().toNanos();
    return System.nanoTime() - lastFrameNanos >= idleNanos / KEEP_ALIVES_MIN;
  }

  @Override
  public final void channelInactive(ChannelHandlerContext ignored) {
    end("it closed the connection");
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext handler, Throwable cause) {
    Optional<String> altered = AlteredRecord.of(handler, cause);
    if (altered.isPresent()) {
      refuse(
          RefusalReason.CHECKSUM, "From node " + peerName() + ", by TLS: " + altered.get() + ".");
    } else if (cause instanceof PeerFrameReader.ClientException) {
      refuseClient();
    } else if (cause instanceof TooLongFrameException) {
      refuse(
          RefusalReason.FRAME,
          "Node " + peerName() + " exceeds a bound: " + cause.getMessage() + ".");
    } else if (cause instanceof CorruptedFrameException) {
      refuse(RefusalReason.CHECKSUM, "From node " + peerName() + ": " + cause.getMessage() + ".");
    } else if (cause instanceof DecoderException && cause.getCause() instanceof SSLException tls) {
      close("the connection of TLS broke: " + tls.getMessage());
    } else if (cause instanceof IOException) {
      close("the connection broke: " + cause.getMessage());
    } else {
      FAILING.log(
          leftOut ->
              LOG.error(
                  "A connection to a node failed peer={} address={}{}",
                  peerName(),
                  address(),
                  LogLimit.text(leftOut),
                  cause));
      close("it failed on this node: " + cause);
    }
  }
}

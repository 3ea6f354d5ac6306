package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.quorate.common.DecodeException;
import io.quorate.consensus.KnownNodes.PeerSecurity;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.LocalIdentity;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.net.InetSocketAddress;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/** The dialing end of a connection: sends messages or requests. */
final class DialedConnection extends PeerConnection {

  /** Receives the events of the connection, on its event loop. */
  interface Owner {
    /** Both nodes have accepted each other. */
    void opened(DialedConnection connection);

    /** Called exactly once, whether the connection was opened or not. */
    void closed(DialedConnection connection, String reason);

    /** The channel has capacity for more frames. */
    void writable();

    /**
     * A response or a failure was received.
     *
     * @throws DecodeException if it is malformed
     */
    void responded(FrameType type, ByteBuf body);

    /** Whether the connection is needed although nothing was sent for a while. */
    boolean isNeeded();
  }

  private final NodeId peer;
  private final Handshake.Purpose purpose;
  private final Owner owner;
  private Optional<LocalIdentity> welcomed = Optional.empty();

  DialedConnection(TransportContext context, NodeId peer, Handshake.Purpose purpose, Owner owner) {
    super(context);
    this.peer = peer;
    this.purpose = purpose;
    this.owner = owner;
  }

  @Override
  Optional<NodeId> peer() {
    return Optional.of(peer);
  }

  @Override
  boolean isKnownPeer() {
    return true;
  }

  @Override
  Optional<LocalIdentity> identity() {
    return welcomed;
  }

  @Override
  SSLEngine engine(PeerSecurity security, Channel on) {
    return security.dialing((InetSocketAddress) on.remoteAddress());
  }

  /** Another node than the one that was dialed learns nothing of this one. */
  @Override
  void established(Optional<NodeId> certified) {
    if (certified.filter(node -> !node.equals(peer)).isPresent()) {
      close(
          "the certificate at "
              + address()
              + " is that of node "
              + certified.get()
              + ", not of "
              + peer);
      return;
    }
    greet(new Handshake.Hello(purpose, presented(), peer));
  }

  @Override
  void frame(FrameType type, ByteBuf body) {
    if (type == FrameType.WELCOME && welcomed.isEmpty()) {
      welcome(Handshake.readWelcome(body));
    } else if (isHandshakeComplete() && (type == FrameType.RESPONSE || type == FrameType.FAILURE)) {
      owner.responded(type, body);
    } else {
      throw new DecodeException("a frame of type " + type + " is not allowed here");
    }
  }

  private void welcome(Handshake.Welcome welcome) {
    LocalIdentity there =
        new LocalIdentity(
            context().self().cluster(), welcome.founding(), peer, welcome.disk(), welcome.starts());
    welcomed = Optional.of(there);
    if (!welcome.node().equals(peer)) {
      refuse(
          RefusalReason.NODE,
          "The node at " + address() + " is " + welcome.node() + ", not " + peer + ".");
      return;
    }
    if (isOtherFounding(there)) {
      return;
    }
    context().identities().learnAcceptance(there, channel().eventLoop(), this::learned);
  }

  /** The peer's identity and its acceptance are recorded durably, or it is refused (P1, S3). */
  private void learned(IdentityWriter.Result result) {
    if (isClosing()) {
      return;
    }
    Optional<Handshake.Refused> refusal = result.refusal(peer, context().settings());
    if (refusal.isPresent()) {
      refuse(refusal.get().reason(), refusal.get().detail());
      return;
    }
    completeHandshake();
    owner.opened(this);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ignored) {
    if (channel().isWritable()) {
      owner.writable();
    }
  }

  @Override
  void closed(String reason) {
    owner.closed(this, reason);
  }

  @Override
  boolean isNeeded() {
    return owner.isNeeded();
  }
}

package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.quorate.common.Budget;
import io.quorate.common.DecodeException;
import io.quorate.consensus.KnownNodes.PeerSecurity;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.LocalIdentity;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/** The accepting end of a connection: receives messages or requests. */
final class AcceptedConnection extends PeerConnection {

  /** Receives the events of accepted connections. */
  interface Owner {
    /** The handshake is complete, so the peer is up. */
    void opened(AcceptedConnection connection, Handshake.Hello hello);

    void closed(AcceptedConnection connection);
  }

  private final Owner owner;
  private final PeerRequestHandler requestHandler;
  private final Budget inFlight;
  private Optional<NodeId> certified = Optional.empty();
  private Optional<Handshake.Hello> receivedHello = Optional.empty();

  AcceptedConnection(TransportContext context, Owner owner, PeerRequestHandler requestHandler) {
    super(context);
    this.owner = owner;
    this.requestHandler = requestHandler;
    this.inFlight = context.settings().newRequestBudget();
  }

  @Override
  Optional<NodeId> peer() {
    return receivedHello.map(hello -> hello.from().node());
  }

  @Override
  boolean isKnownPeer() {
    return isHandshakeComplete();
  }

  @Override
  Optional<LocalIdentity> identity() {
    return receivedHello.map(Handshake.Hello::from);
  }

  @Override
  SSLEngine engine(PeerSecurity security, Channel on) {
    return security.accepting();
  }

  /** The dialing end sends the first frame. */
  @Override
  void established(Optional<NodeId> certifiedNode) {
    certified = certifiedNode;
  }

  @Override
  void frame(FrameType type, ByteBuf body) throws Handshake.RefusalException {
    if (receivedHello.isEmpty()) {
      if (type != FrameType.HELLO) {
        throw new DecodeException("the first frame is no HELLO");
      }
      receive(Handshake.readHello(body, context().settings().engineName()));
      return;
    }
    Handshake.Hello hello = receivedHello.get();
    boolean messages = hello.purpose() == Handshake.Purpose.MESSAGES;
    if (isHandshakeComplete() && messages && type == FrameType.MESSAGE) {
      context().groups().deliver(hello.from().node(), body);
    } else if (isHandshakeComplete() && !messages && type == FrameType.REQUEST) {
      requestHandler.serve(channel(), hello.from().node(), body, inFlight);
    } else {
      throw new DecodeException("a frame of type " + type + " is not allowed here");
    }
  }

  private void receive(Handshake.Hello hello) throws Handshake.RefusalException {
    LocalIdentity self = context().self();
    LocalIdentity from = hello.from();
    if (certified.filter(node -> !node.equals(from.node())).isPresent()) {
      throw new Handshake.RefusalException(
          RefusalReason.NODE,
          "The certificate is that of node " + certified.get() + ", not of " + from.node() + ".");
    }
    if (!from.cluster().equals(self.cluster())) {
      throw new Handshake.RefusalException(
          RefusalReason.CLUSTER,
          "Node "
              + from.node()
              + " belongs to cluster "
              + from.cluster()
              + ", and node "
              + self.node()
              + " to cluster "
              + self.cluster()
              + ".");
    }
    Optional<Handshake.Refused> refusal = self.refusalOf(from);
    if (refusal.isPresent()) {
      throw new Handshake.RefusalException(refusal.get().reason(), refusal.get().detail());
    }
    if (!hello.receiver().equals(self.node())) {
      throw new Handshake.RefusalException(
          RefusalReason.NODE,
          "This is node " + self.node() + ", not node " + hello.receiver() + ".");
    }
    if (from.node().equals(self.node())) {
      throw new Handshake.RefusalException(
          RefusalReason.NODE, "Another node has the id " + from.node() + " of this node.");
    }
    receivedHello = Optional.of(hello);
    context().identities().learn(from, channel().eventLoop(), result -> learned(hello, result));
  }

  /** The peer's identity is recorded durably, or it is refused (P1, S3). */
  private void learned(Handshake.Hello hello, IdentityWriter.Result result) {
    if (isClosing()) {
      return;
    }
    Optional<Handshake.Refused> refusal = result.refusal(hello.from().node(), context().settings());
    if (refusal.isPresent()) {
      refuse(refusal.get().reason(), refusal.get().detail());
      return;
    }
    completeHandshake();
    LocalIdentity self = presented();
    greet(new Handshake.Welcome(self.founding(), self.node(), self.disk(), self.starts()));
    owner.opened(this, hello);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ignored) {
    // Back-pressure: no requests are read while the peer does not read responses.
    channel().config().setAutoRead(channel().isWritable());
  }

  @Override
  void closed(String reason) {
    owner.closed(this);
  }

  @Override
  boolean isNeeded() {
    return true;
  }
}

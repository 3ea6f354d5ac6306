package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.util.Optional;

/** The end that dialed: sends messages, or requests. */
final class DialedConnection extends PeerConnection {

  /** Who has it dialed, on the connection's event loop. */
  interface Owner {
    /** The peer has accepted this node, and this node the peer. */
    void opened(DialedConnection connection);

    /** Once in any case, opened or not. */
    void closed(DialedConnection connection, String why);

    /** There is room for more. */
    void writable();

    /**
     * An answer, or a failure, has come.
     *
     * @throws MalformedException if it cannot be read
     */
    void answered(FrameType type, ByteBuf body);

    /** Whether the connection is needed although nothing was sent for a while. */
    boolean isNeeded();
  }

  private final NodeId peer;
  private final Greeting.Purpose purpose;
  private final Owner owner;
  private boolean welcomed;

  DialedConnection(TransportContext context, NodeId peer, Greeting.Purpose purpose, Owner owner) {
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
  void established() {
    channel()
        .writeAndFlush(
            new Greeting.Hello(purpose, context().self(), peer).frame(channel().alloc()),
            channel().voidPromise());
  }

  @Override
  void frame(FrameType type, ByteBuf body) {
    if (type == FrameType.WELCOME && !welcomed) {
      welcome(Greeting.readWelcome(body));
    } else if (isGreeted() && (type == FrameType.ANSWER || type == FrameType.FAILURE)) {
      owner.answered(type, body);
    } else {
      throw new MalformedException("a frame of type " + type + " has no place here");
    }
  }

  private void welcome(Greeting.Welcome welcome) {
    welcomed = true;
    if (!welcome.node().equals(peer)) {
      refuse(
          RefusalReason.NODE,
          "At " + address() + " is node " + welcome.node() + ", not node " + peer + ".");
      return;
    }
    context()
        .identities()
        .learnAcceptance(peer, welcome.disk(), channel().eventLoop(), this::learned);
  }

  /** The peer's identity, and that it accepts ours, are durable; or it is not accepted (P1, S3). */
  private void learned(IdentityWriter.Result result) {
    if (isClosing()) {
      return;
    }
    Optional<Greeting.Refused> refusal = result.refusal(peer);
    if (refusal.isPresent()) {
      refuse(refusal.get().reason(), refusal.get().sentence());
      return;
    }
    greeted();
    owner.opened(this);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ignored) {
    if (channel().isWritable()) {
      owner.writable();
    }
  }

  @Override
  void closed(String why) {
    owner.closed(this, why);
  }

  @Override
  boolean isWanted() {
    return owner.isNeeded();
  }
}

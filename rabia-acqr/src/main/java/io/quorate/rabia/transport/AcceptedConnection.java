package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.util.Optional;

/** The end that was dialed: receives messages, or requests. */
final class AcceptedConnection extends PeerConnection {

  /** Who is told about accepted connections. */
  interface Owner {
    /** The peer has greeted, so it is up. */
    void opened(AcceptedConnection connection, Greeting.Hello hello);

    void closed(AcceptedConnection connection);
  }

  private final Owner owner;
  private final RequestDesk desk;
  private final InFlight inFlight;
  private Optional<Greeting.Hello> heard = Optional.empty();

  AcceptedConnection(TransportContext context, Owner owner, RequestDesk desk) {
    super(context);
    this.owner = owner;
    this.desk = desk;
    this.inFlight = InFlight.ofRequests(context.settings());
  }

  @Override
  Optional<NodeId> peer() {
    return heard.map(hello -> hello.from().node());
  }

  @Override
  void established() {
    // It is the other side's turn.
  }

  @Override
  void frame(FrameType type, ByteBuf body) throws Greeting.RefusalException {
    if (heard.isEmpty()) {
      if (type != FrameType.HELLO) {
        throw new MalformedException("the first frame is no greeting");
      }
      greet(Greeting.readHello(body));
      return;
    }
    Greeting.Hello hello = heard.get();
    boolean messages = hello.purpose() == Greeting.Purpose.MESSAGES;
    if (isGreeted() && messages && type == FrameType.MESSAGE) {
      context().groups().deliver(hello.from().node(), body);
    } else if (isGreeted() && !messages && type == FrameType.REQUEST) {
      desk.serve(channel(), hello.from().node(), body, inFlight);
    } else {
      throw new MalformedException("a frame of type " + type + " has no place here");
    }
  }

  private void greet(Greeting.Hello hello) throws Greeting.RefusalException {
    LocalIdentity self = context().self();
    LocalIdentity from = hello.from();
    if (!from.cluster().equals(self.cluster())) {
      throw new Greeting.RefusalException(
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
    if (!hello.meant().equals(self.node())) {
      throw new Greeting.RefusalException(
          RefusalReason.NODE, "This is node " + self.node() + ", not node " + hello.meant() + ".");
    }
    if (from.node().equals(self.node())) {
      throw new Greeting.RefusalException(
          RefusalReason.NODE, "Another node greets as " + from.node() + ", which is this node.");
    }
    heard = Optional.of(hello);
    context()
        .identities()
        .learn(from.node(), from.disk(), channel().eventLoop(), result -> learned(hello, result));
  }

  /** The peer's identity is durable, or it is not accepted (P1, S3). */
  private void learned(Greeting.Hello hello, IdentityWriter.Result result) {
    if (isClosing()) {
      return;
    }
    Optional<Greeting.Refused> refusal = result.refusal(hello.from().node());
    if (refusal.isPresent()) {
      refuse(refusal.get().reason(), refusal.get().sentence());
      return;
    }
    greeted();
    LocalIdentity self = context().self();
    channel()
        .writeAndFlush(
            new Greeting.Welcome(self.node(), self.disk()).frame(channel().alloc()),
            channel().voidPromise());
    owner.opened(this, hello);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ignored) {
    // Who does not read answers may not ask.
    channel().config().setAutoRead(channel().isWritable());
  }

  @Override
  void closed(String why) {
    owner.closed(this);
  }

  @Override
  boolean isWanted() {
    return true;
  }
}

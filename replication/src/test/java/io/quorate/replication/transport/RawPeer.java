package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.consensus.Member;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.frame.FrameChecksum;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.LocalIdentity;
import io.quorate.replication.transport.handshake.PeerFrames;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/** A peer whose frames the test sends and receives itself, over a plain socket. */
public final class RawPeer implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 10_000;

  private final Socket socket;
  private final DataInputStream in;
  private boolean greeted;

  private RawPeer(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  static RawPeer dial(TransportNode node) throws IOException {
    return new RawPeer(new Socket(InetAddress.getLoopbackAddress(), node.port()));
  }

  /** Opens a connection for messages and completes its handshake. */
  public static RawPeer connect(LocalIdentity self, Member to) throws IOException {
    return connect(self, to, Handshake.Purpose.MESSAGES);
  }

  /** Opens a connection and completes its handshake. */
  public static RawPeer connect(LocalIdentity self, Member to, Handshake.Purpose purpose)
      throws IOException {
    RawPeer peer =
        new RawPeer(new Socket(InetAddress.getLoopbackAddress(), to.address().getPort()));
    peer.send(new Handshake.Hello(purpose, self, to.node()));
    if (peer.receiveType() != FrameType.WELCOME) {
      peer.close();
      throw new IOException("No WELCOME of node " + to.node());
    }
    return peer;
  }

  static RawPeer accepted(Socket socket) throws IOException {
    return new RawPeer(socket);
  }

  static Handshake.Hello hello(String self, UUID disk, TransportNode to) {
    return new Handshake.Hello(
        Handshake.Purpose.MESSAGES,
        new LocalIdentity(TransportNode.CLUSTER, new NodeId(self), disk),
        to.id);
  }

  public RawPeer send(GroupId group, Payload message) throws IOException {
    ByteBuf frame = PeerFrames.begin(UnpooledByteBufAllocator.DEFAULT, FrameType.MESSAGE, 64);
    message.write(frame.writeInt(group.value()));
    return send(PeerFrames.end(frame));
  }

  /** Sends a request to a group. */
  public RawPeer request(GroupId group, byte kind, byte[] body) throws IOException {
    ByteBuf frame = PeerFrames.begin(UnpooledByteBufAllocator.DEFAULT, FrameType.REQUEST, 64);
    frame.writeLong(1).writeInt(group.value()).writeByte(kind).writeBytes(body);
    return send(PeerFrames.end(frame));
  }

  /** Receives the failure of a request and returns why it failed. */
  public String receiveFailureDetail() throws IOException {
    ByteBuf frame = receive().orElseThrow();
    if (PeerFrames.readType(frame) != FrameType.FAILURE) {
      throw new IOException("No failure, but " + FrameType.of(frame.getByte(0)));
    }
    return PeerFrames.readDetail(frame.skipBytes(Long.BYTES));
  }

  RawPeer send(Handshake handshake) throws IOException {
    return send(handshake.greeting(UnpooledByteBufAllocator.DEFAULT));
  }

  RawPeer send(ByteBuf bytes) throws IOException {
    try {
      socket.getOutputStream().write(ByteBufUtil.getBytes(bytes));
      socket.getOutputStream().flush();
      return this;
    } finally {
      bytes.release();
    }
  }

  RawPeer send(int... bytes) throws IOException {
    for (int each : bytes) {
      socket.getOutputStream().write(each);
    }
    socket.getOutputStream().flush();
    return this;
  }

  /**
   * Receives the next frame but keep-alives, without its length and checks; empty at the end of
   * stream.
   */
  Optional<ByteBuf> receive() throws IOException {
    try {
      while (true) {
        ByteBuf frame = greeted ? readFrame() : readGreeting();
        greeted = true;
        if (frame.getByte(0) != FrameType.KEEP_ALIVE.code()) {
          return Optional.of(frame);
        }
      }
    } catch (EOFException | SocketException e) {
      return Optional.empty();
    }
  }

  private ByteBuf readGreeting() throws IOException {
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    boolean isPlain =
        frame[0] == FrameType.REFUSED.code() && frame[1] == RefusalReason.VERSION.code();
    return Unpooled.wrappedBuffer(frame, 0, frame.length - (isPlain ? 0 : FrameChecksum.BYTES));
  }

  private ByteBuf readFrame() throws IOException {
    byte[] frame = new byte[in.readInt()];
    int check = in.readInt();
    in.readFully(frame);
    CRC32C expected = new CRC32C();
    expected.update(ByteBuffer.allocate(Integer.BYTES).putInt(frame.length).flip());
    expected.update(frame, 0, PeerFrames.HEADER_BYTES);
    boolean isIntact = check == (int) expected.getValue();
    expected.update(frame, PeerFrames.HEADER_BYTES, frame.length - PeerFrames.HEADER_BYTES);
    if (!isIntact || in.readInt() != (int) expected.getValue()) {
      throw new IOException("The checks of a frame are wrong, of length " + frame.length);
    }
    return Unpooled.wrappedBuffer(frame);
  }

  /** Sends a frame of these bytes, the first of which is its type, with the checks of them. */
  RawPeer sendFrame(int... bytes) throws IOException {
    ByteBuf frame = CheckedFrame.begin(Unpooled.buffer());
    for (int each : bytes) {
      frame.writeByte(each);
    }
    return send(PeerFrames.end(frame));
  }

  /** Sends the length, the check and the type of a frame whose length is any. */
  RawPeer sendHeader(int length, FrameType type) throws IOException {
    ByteBuf header = Unpooled.buffer().writeInt(length).writeByte(type.code());
    int check = new FrameChecksum().add(header, 0, header.readableBytes()).value();
    return send(Unpooled.buffer().writeInt(length).writeInt(check).writeByte(type.code()));
  }

  FrameType receiveType() throws IOException {
    return PeerFrames.readType(receive().orElseThrow());
  }

  /** Receives a refusal and returns its reason. */
  public RefusalReason receiveRefusalReason() throws IOException {
    return receiveRefusal().reason();
  }

  /** Receives a refusal and returns its detail. */
  public String receiveRefusalDetail() throws IOException {
    return receiveRefusal().detail();
  }

  Handshake.Refused receiveRefusal() throws IOException {
    ByteBuf frame = receive().orElseThrow();
    if (PeerFrames.readType(frame) != FrameType.REFUSED) {
      throw new IOException("No refusal, but " + FrameType.of(frame.getByte(0)));
    }
    return Handshake.readRefused(frame);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

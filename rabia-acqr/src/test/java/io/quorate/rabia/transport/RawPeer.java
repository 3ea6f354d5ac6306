package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.consensus.NodeId;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Optional;
import java.util.UUID;

/** A peer played by hand over a plain socket. */
final class RawPeer implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 10_000;

  private final Socket socket;
  private final DataInputStream in;

  private RawPeer(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  static RawPeer dial(TransportNode node) throws IOException {
    return new RawPeer(new Socket(InetAddress.getLoopbackAddress(), node.port()));
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

  RawPeer say(Handshake greeting) throws IOException {
    return say(greeting.frame(UnpooledByteBufAllocator.DEFAULT));
  }

  RawPeer say(ByteBuf bytes) throws IOException {
    try {
      socket.getOutputStream().write(ByteBufUtil.getBytes(bytes));
      socket.getOutputStream().flush();
      return this;
    } finally {
      bytes.release();
    }
  }

  RawPeer say(int... bytes) throws IOException {
    for (int each : bytes) {
      socket.getOutputStream().write(each);
    }
    socket.getOutputStream().flush();
    return this;
  }

  /** The next frame that is no keep-alive, without its length, or nothing where the stream ends. */
  Optional<ByteBuf> hear() throws IOException {
    try {
      while (true) {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        if (frame[0] != FrameType.KEEP_ALIVE.code()) {
          return Optional.of(Unpooled.wrappedBuffer(frame));
        }
      }
    } catch (EOFException | SocketException e) {
      return Optional.empty();
    }
  }

  FrameType hearType() throws IOException {
    return PeerFrames.readType(hear().orElseThrow());
  }

  Handshake.Refused hearRefusal() throws IOException {
    ByteBuf frame = hear().orElseThrow();
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

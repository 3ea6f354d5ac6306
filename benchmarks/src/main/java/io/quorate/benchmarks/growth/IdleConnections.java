package io.quorate.benchmarks.growth;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.frame.FrameChecksum;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Hello;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Connections to nodes that have completed their handshake and send nothing more. */
final class IdleConnections implements AutoCloseable {
  private static final long HELLO_CORRELATION = 1;
  private static final String CLIENT_NAME = "idle";

  private final List<SocketChannel> channels = new ArrayList<>();

  private IdleConnections() {}

  /**
   * Opens connections, distributed evenly over the nodes. Blocks until each node has responded to
   * each handshake.
   *
   * @param nodes the client addresses of nodes, at least one
   * @throws IOException if a node does not accept one of them, or this process may not open as
   *     many; none is left open then
   */
  static IdleConnections open(List<InetSocketAddress> nodes, int count) throws IOException {
    IdleConnections connections = new IdleConnections();
    try {
      for (int i = 0; i < count; i++) {
        connections.connect(nodes.get(i % nodes.size()));
      }
      return connections;
    } catch (IOException e) {
      connections.close();
      throw e;
    }
  }

  private void connect(InetSocketAddress node) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channels.add(channel);
    channel.connect(node);
    ByteBuffer hello = hello();
    while (hello.hasRemaining()) {
      channel.write(hello);
    }
    int length = read(channel, Integer.BYTES).getInt();
    ByteBuffer frame = read(channel, length + CheckedFrame.OVERHEAD_BYTES - Integer.BYTES);
    int status = frame.get(FrameChecksum.BYTES + Long.BYTES);
    if (status != Status.OK.code()) {
      throw new IOException(node + " rejected a connection with status " + status + ".");
    }
  }

  private static ByteBuffer hello() {
    Hello hello = Hello.newBuilder().setClientName(CLIENT_NAME).build();
    ByteBuf frame =
        Frames.of(
            UnpooledByteBufAllocator.DEFAULT,
            HELLO_CORRELATION,
            Opcode.HELLO.code(),
            hello.toByteArray());
    try {
      ByteBuffer bytes = ByteBuffer.allocate(Preamble.BYTES + frame.readableBytes());
      bytes.putInt(Preamble.current()).put(frame.nioBuffer());
      return bytes.flip();
    } finally {
      frame.release();
    }
  }

  private static ByteBuffer read(SocketChannel channel, int bytes) throws IOException {
    ByteBuffer read = ByteBuffer.allocate(bytes);
    while (read.hasRemaining()) {
      if (channel.read(read) < 0) {
        throw new EOFException(channel.getRemoteAddress() + " closed a connection.");
      }
    }
    return read.flip();
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel each : channels) {
      each.close();
    }
    channels.clear();
  }
}

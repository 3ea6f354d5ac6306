package io.quorate.server.testing;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.protocol.wire.v1.Hello;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** A client that can send any bytes. Blocks. */
public final class RawClient implements AutoCloseable {
  private static final int READ_TIMEOUT_MILLIS = 20_000;
  private static final int REQUEST_TIMEOUT_MILLIS = 10_000;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private long sequence;

  /** A response as it was received. */
  public record Response(long correlation, Status status, ByteBuf body) {
    public Failure failure() {
      try {
        return Failure.parseFrom(body.nioBuffer());
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError("Not a failure: " + this, e);
      }
    }
  }

  private RawClient(int port) throws IOException {
    this(new Socket("127.0.0.1", port));
  }

  private RawClient(Socket connected) throws IOException {
    socket = connected;
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
  }

  /** Connects and sends nothing. */
  public static RawClient withoutHandshake(int port) throws IOException {
    return new RawClient(port);
  }

  /** Connects and completes the handshake. */
  public static RawClient connect(int port) throws IOException {
    return greeted(new RawClient(port));
  }

  /** Connects from another address of this machine, and completes the handshake. */
  public static RawClient connectFrom(String address, int port) throws IOException {
    return greeted(
        new RawClient(
            new Socket(
                InetAddress.getByName("127.0.0.1"), port, InetAddress.getByName(address), 0)));
  }

  private static RawClient greeted(RawClient client) throws IOException {
    client.out.writeInt(Preamble.current());
    client.send(0, Opcode.HELLO.code(), Hello.getDefaultInstance().toByteArray());
    Response welcome = client.receive();
    if (welcome.status() != Status.OK) {
      throw new AssertionError("The handshake failed: " + welcome.failure());
    }
    return client;
  }

  public void sendBytes(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  public void sendPreamble(int preamble) throws IOException {
    out.writeInt(preamble);
    out.flush();
  }

  public void send(long correlation, int kind, byte[] body) throws IOException {
    sendBytes(frame(correlation, kind, body));
  }

  /** The bytes of a frame with these parts. */
  public static byte[] frame(long correlation, int kind, byte[] body) {
    return bytes(Frames.of(UnpooledByteBufAllocator.DEFAULT, correlation, kind, body));
  }

  /** The bytes of a frame up to its body, whatever length it claims. */
  public static byte[] header(int length, long correlation, int kind) {
    CRC32C check = new CRC32C();
    ByteBuffer header = ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES + 1);
    header.putInt(length).putInt(0).putLong(correlation).put((byte) kind).flip();
    check.update(header.slice(0, Integer.BYTES));
    check.update(header.slice(2 * Integer.BYTES, Long.BYTES + 1));
    return header.putInt(Integer.BYTES, (int) check.getValue()).array();
  }

  /** Sends an operation with the next sequence number of this client. */
  public void write(long correlation, Routing routing, Operation operation) throws IOException {
    sequence++;
    RequestId tag = new RequestId(new ClientId(1, System.identityHashCode(this)), sequence, 1);
    write(correlation, routing, new ClientCommand(tag, operation));
  }

  public void write(long correlation, Routing routing, ClientCommand write) throws IOException {
    ByteBuffer command = write.encoded();
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, routing);
    send(correlation, Opcode.WRITE.code(), bytes(body.writeBytes(command)));
  }

  public void get(long correlation, Routing routing, Key key) throws IOException {
    get(correlation, routing, Guarantee.LINEARIZABLE, key);
  }

  public void get(long correlation, Routing routing, Guarantee guarantee, Key key)
      throws IOException {
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, routing);
    DataFrames.writeGet(body, new DataFrames.Get(guarantee, key));
    send(correlation, Opcode.GET.code(), bytes(body));
  }

  public void quorumRead(long correlation, Routing routing, Key key, Position atLeast)
      throws IOException {
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, routing);
    DataFrames.writeReplyRequest(body, new DataFrames.ReplyRequest(key, atLeast));
    send(correlation, Opcode.READ_REPLY.code(), bytes(body));
  }

  public void scan(long correlation, Routing routing, KeyRange range, int rows) throws IOException {
    scan(correlation, routing, Guarantee.LINEARIZABLE, range, rows);
  }

  public void scan(long correlation, Routing routing, Guarantee guarantee, KeyRange range, int rows)
      throws IOException {
    scan(correlation, Opcode.SCAN, routing, new DataFrames.Scan(guarantee, range, rows, 1 << 20));
  }

  public void scanReverse(long correlation, Routing routing, KeyRange range, int rows)
      throws IOException {
    scan(
        correlation,
        Opcode.SCAN_REVERSE,
        routing,
        new DataFrames.Scan(Guarantee.LINEARIZABLE, range, rows, 1 << 20));
  }

  private void scan(long correlation, Opcode opcode, Routing routing, DataFrames.Scan scan)
      throws IOException {
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, routing);
    DataFrames.writeScan(body, scan);
    send(correlation, opcode.code(), bytes(body));
  }

  public Response receive() throws IOException {
    byte[] body = new byte[in.readInt() - Frames.HEADER_BYTES];
    int check = in.readInt();
    long correlation = in.readLong();
    int kind = in.readUnsignedByte();
    in.readFully(body);
    byte[] expected = frame(correlation, kind, body);
    if (check != ByteBuffer.wrap(expected).getInt(Integer.BYTES)
        || in.readInt() != ByteBuffer.wrap(expected).getInt(expected.length - Integer.BYTES)) {
      throw new AssertionError("The checks of a frame are wrong, correlation " + correlation);
    }
    return new Response(correlation, Status.of(kind).orElseThrow(), Unpooled.wrappedBuffer(body));
  }

  /** Receives the refusal of a preamble, which has no checks. */
  public Response receiveRefusal() throws IOException {
    byte[] body = new byte[in.readInt() - Frames.HEADER_BYTES];
    long correlation = in.readLong();
    Status status = Status.of(in.readUnsignedByte()).orElseThrow();
    in.readFully(body);
    return new Response(correlation, status, Unpooled.wrappedBuffer(body));
  }

  /** Waits for the server to close the connection; fails if it sends anything before. */
  public void awaitClosed() throws IOException {
    int next = in.read();
    if (next >= 0) {
      throw new AssertionError("The server sent a byte: " + next);
    }
  }

  /** The routing of a client that has the first topology of a cluster. */
  public static Routing to(int region) {
    return new Routing(region, 1, REQUEST_TIMEOUT_MILLIS);
  }

  public static Operation put(String key, String value) {
    return new Operation.Put(
        Key.utf8(key), ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    buffer.release();
    return bytes;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

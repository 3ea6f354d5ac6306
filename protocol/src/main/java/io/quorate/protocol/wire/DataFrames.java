package io.quorate.protocol.wire;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.quorum.ReadReply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bodies of reads and writes. Integers are big-endian.
 *
 * <pre>
 * routing   := region(i32) epoch(i64) timeoutMillis(i32)
 * guarantee := 0                               linearizable
 *            | 1                               linearizable if clocks are bounded
 *            | 2 position                      at least
 *            | 3                               local
 * bytes     := length(i32) bytes
 * position  := epoch(i64) index(i64)
 *
 * WRITE     request:  routing {@link io.quorate.protocol.operation.ClientCommand}
 *           response: position {@link io.quorate.protocol.operation.Result}
 * GET       request:  routing guarantee key(bytes)
 *           response: position found(u8) value(the rest)
 * SCAN      request:  routing guarantee rowsMax(i32) bytesMax(i32) start(bytes)
 *                     hasEnd(u8) [end(bytes)]
 *           response: position count(i32) (key(bytes) value(bytes))* more(u8) [continueAt(bytes)]
 * SCAN_REVERSE  as SCAN; the rows from the end of the range to its start, and continueAt is the
 *                     exclusive end of the next page
 * READ_REPLY
 *           request:  routing atLeast(position) key(bytes)
 *           response: load(i32) epoch(i64) quorum(i32) applied(position) pending(position)
 *                     found(u8) value(the rest)
 * </pre>
 *
 * <p>Every read method throws {@link DecodeException} if the bytes are malformed, and checks each
 * length against the remaining bytes before it allocates.
 */
public final class DataFrames {
  private static final int ROUTING_BYTES = 2 * Integer.BYTES + Long.BYTES;
  private static final int GUARANTEE_BYTES_MAX = 1 + Position.BYTES;

  private DataFrames() {}

  /**
   * A scan of one page.
   *
   * @param guarantee the guarantee that the read requires
   * @param range the range of keys
   * @param rowsMax the maximum number of rows; 1 or more
   * @param bytesMax the page ends after the row that reaches this number of bytes of keys and
   *     values; 1 or more
   */
  public record Scan(Guarantee guarantee, KeyRange range, int rowsMax, int bytesMax) {}

  public record Get(Guarantee guarantee, Key key) {}

  /**
   * A request to one replica for its reply to a quorum read.
   *
   * @param key the key that is read
   * @param atLeast the position that the replica must have applied before it responds; {@link
   *     Position#NONE} for any state
   */
  public record ReplyRequest(Key key, Position atLeast) {}

  /** Returns the length of the routing part, with which every body begins, in bytes. */
  public static int routingBytes() {
    return ROUTING_BYTES;
  }

  public static void writeRouting(ByteBuf to, Routing routing) {
    to.writeInt(routing.region()).writeLong(routing.epoch()).writeInt(routing.timeoutMillis());
  }

  public static Routing readRouting(ByteBuf from) {
    requireReadable(from, ROUTING_BYTES);
    return new Routing(from.readInt(), from.readLong(), Math.max(1, from.readInt()));
  }

  public static int size(Get get) {
    return GUARANTEE_BYTES_MAX + Integer.BYTES + get.key().size();
  }

  public static void writeGet(ByteBuf to, Get get) {
    writeGuarantee(to, get.guarantee());
    writeKey(to, get.key());
  }

  public static Get readGet(ByteBuf from) {
    Get get = new Get(readGuarantee(from), readKey(from));
    requireEnd(from);
    return get;
  }

  public static int size(Scan scan) {
    return GUARANTEE_BYTES_MAX
        + 4 * Integer.BYTES
        + 1
        + scan.range().start().size()
        + scan.range().end().map(Key::size).orElse(0);
  }

  public static void writeScan(ByteBuf to, Scan scan) {
    writeGuarantee(to, scan.guarantee());
    to.writeInt(scan.rowsMax()).writeInt(scan.bytesMax());
    writeKey(to, scan.range().start());
    writeOptionalKey(to, scan.range().end());
  }

  public static Scan readScan(ByteBuf from) {
    Guarantee guarantee = readGuarantee(from);
    requireReadable(from, 2 * Integer.BYTES);
    int rowsMax = from.readInt();
    int bytesMax = from.readInt();
    if (rowsMax < 1 || bytesMax < 1) {
      throw new DecodeException("A scan requests at least 1 row and 1 byte.");
    }
    Key start = readKey(from);
    Optional<Key> end = readOptionalKey(from);
    requireEnd(from);
    if (end.isPresent() && end.get().compareTo(start) < 0) {
      throw new DecodeException(
          "A scan's start is at or before its end; start "
              + start
              + " is after end "
              + end.get()
              + ".");
    }
    return new Scan(guarantee, new KeyRange(start, end), rowsMax, bytesMax);
  }

  public static int size(ReplyRequest request) {
    return Position.BYTES + Integer.BYTES + request.key().size();
  }

  public static void writeReplyRequest(ByteBuf to, ReplyRequest request) {
    writePosition(to, request.atLeast());
    writeKey(to, request.key());
  }

  public static ReplyRequest readReplyRequest(ByteBuf from) {
    Position atLeast = readPosition(from);
    ReplyRequest request = new ReplyRequest(readKey(from), atLeast);
    requireEnd(from);
    return request;
  }

  public static int size(ReadReply<Optional<byte[]>> reply) {
    return Long.BYTES
        + 2 * Integer.BYTES
        + 2 * Position.BYTES
        + 1
        + reply.value().map(value -> value.length).orElse(0);
  }

  /**
   * Writes a read reply without its replica, which the connection identifies.
   *
   * @param load the number of requests in flight on the node
   */
  public static void writeReply(ByteBuf to, ReadReply<Optional<byte[]>> reply, int load) {
    to.writeInt(load).writeLong(reply.epoch()).writeInt(reply.quorum());
    writePosition(to, reply.applied());
    writePosition(to, reply.pending());
    writeValue(to, reply.value());
  }

  /** Returns the load that a read reply contains; does not move the reader index. */
  public static int loadOf(ByteBuf reply) {
    requireReadable(reply, Integer.BYTES);
    return reply.getInt(reply.readerIndex());
  }

  /**
   * @param replica the replica that the request was sent to
   */
  public static ReadReply<Optional<byte[]>> readReply(ByteBuf from, NodeId replica) {
    requireReadable(from, Long.BYTES + 2 * Integer.BYTES);
    from.skipBytes(Integer.BYTES);
    long epoch = from.readLong();
    int quorum = from.readInt();
    if (quorum < 1) {
      throw new DecodeException("A quorum has at least 1 replica, not " + quorum + ".");
    }
    return new ReadReply<>(
        replica, epoch, quorum, readPosition(from), readPosition(from), readValue(from));
  }

  public static void writePosition(ByteBuf to, Position position) {
    to.writeLong(position.epoch()).writeLong(position.index());
  }

  public static Position readPosition(ByteBuf from) {
    requireReadable(from, Position.BYTES);
    return new Position(from.readLong(), from.readLong());
  }

  /** Returns the position with which a response begins; does not move the reader index. */
  public static Position positionOf(ByteBuf response) {
    requireReadable(response, Position.BYTES);
    int at = response.readerIndex();
    return new Position(response.getLong(at), response.getLong(at + Long.BYTES));
  }

  public static void writeValue(ByteBuf to, Optional<byte[]> value) {
    to.writeBoolean(value.isPresent());
    value.ifPresent(to::writeBytes);
  }

  /** As {@link #writeValue}; the bytes between position and limit. */
  public static void writeValueBuffer(ByteBuf to, Optional<ByteBuffer> value) {
    to.writeBoolean(value.isPresent());
    value.ifPresent(bytes -> to.writeBytes(bytes.duplicate()));
  }

  public static Optional<byte[]> readValue(ByteBuf from) {
    requireReadable(from, 1);
    if (!from.readBoolean()) {
      requireEnd(from);
      return Optional.empty();
    }
    byte[] value = new byte[from.readableBytes()];
    from.readBytes(value);
    return Optional.of(value);
  }

  public static int size(ScanPage page) {
    int size = Integer.BYTES + 1 + Integer.BYTES + page.continueAt().map(Key::size).orElse(0);
    for (ScanPage.Row row : page.rows()) {
      size += 2 * Integer.BYTES + row.key().size() + row.value().remaining();
    }
    return size;
  }

  public static void writePage(ByteBuf to, ScanPage page) {
    to.writeInt(page.rows().size());
    for (ScanPage.Row row : page.rows()) {
      writeKey(to, row.key());
      to.writeInt(row.value().remaining()).writeBytes(row.value().duplicate());
    }
    writeOptionalKey(to, page.continueAt());
  }

  /** Reads a page. Values are copied, because the page outlives the frame. */
  public static ScanPage readPage(ByteBuf from) {
    requireReadable(from, Integer.BYTES);
    int count = from.readInt();
    if (count < 0 || count > from.readableBytes()) {
      throw new DecodeException("A page claims " + count + " rows, more than it holds.");
    }
    List<ScanPage.Row> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(
          new ScanPage.Row(readKey(from), ByteBuffer.wrap(readBytes(from, Integer.MAX_VALUE))));
    }
    Optional<Key> continueAt = readOptionalKey(from);
    requireEnd(from);
    return new ScanPage(rows, continueAt);
  }

  private static void writeGuarantee(ByteBuf to, Guarantee guarantee) {
    to.writeByte(
        switch (guarantee.kind()) {
          case LINEARIZABLE -> 0;
          case LINEARIZABLE_IF_CLOCKS_BOUNDED -> 1;
          case AT_LEAST -> 2;
          case LOCAL -> 3;
        });
    if (guarantee instanceof Guarantee.AtLeast atLeast) {
      writePosition(to, atLeast.position());
    }
  }

  private static Guarantee readGuarantee(ByteBuf from) {
    requireReadable(from, 1);
    byte tag = from.readByte();
    return switch (tag) {
      case 0 -> Guarantee.LINEARIZABLE;
      case 1 -> Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED;
      case 2 -> new Guarantee.AtLeast(readPosition(from));
      case 3 -> Guarantee.LOCAL;
      default -> throw new DecodeException("There is no read guarantee " + tag + ".");
    };
  }

  private static void writeKey(ByteBuf to, Key key) {
    to.writeInt(key.size()).writeBytes(key.bytes());
  }

  private static Key readKey(ByteBuf from) {
    return Key.wrap(readBytes(from, Limits.KEY_BYTES_MAX));
  }

  private static void writeOptionalKey(ByteBuf to, Optional<Key> key) {
    to.writeBoolean(key.isPresent());
    key.ifPresent(present -> writeKey(to, present));
  }

  private static Optional<Key> readOptionalKey(ByteBuf from) {
    requireReadable(from, 1);
    return from.readBoolean() ? Optional.of(readKey(from)) : Optional.empty();
  }

  private static byte[] readBytes(ByteBuf from, int lengthMax) {
    requireReadable(from, Integer.BYTES);
    int length = from.readInt();
    if (length < 0 || length > lengthMax) {
      throw new DecodeException(
          "A length of " + length + " is beyond the limit of " + lengthMax + ".");
    }
    requireReadable(from, length);
    byte[] bytes = new byte[length];
    from.readBytes(bytes);
    return bytes;
  }

  private static void requireReadable(ByteBuf from, int bytes) {
    if (from.readableBytes() < bytes) {
      throw new DecodeException("A frame ends before its body is complete.");
    }
  }

  private static void requireEnd(ByteBuf from) {
    if (from.isReadable()) {
      throw new DecodeException("A frame has " + from.readableBytes() + " bytes after its body.");
    }
  }
}

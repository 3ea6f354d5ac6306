package io.quorate.client.wire;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.Share;
import io.quorate.operation.Limits;
import io.quorate.operation.MalformedException;
import io.quorate.operation.ScanPage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bodies of reads and writes. Integers are big-endian.
 *
 * <pre>
 * routing   := region(i32) epoch(i64) timeoutMillis(i32)
 * guarantee := 0 linearizable | 1 linearizable if clocks are bounded | 2 epoch(i64) index(i64) at least | 3 local
 * bytes     := length(i32) bytes
 * position  := epoch(i64) index(i64)
 *
 * WRITE  routing {@link io.quorate.operation.TaggedOperation}      answered by  position {@link io.quorate.operation.Result}
 * GET    routing guarantee key(bytes)           answered by  position found(u8) value(the rest)
 * SCAN   routing guarantee rowsMax(i32) bytesMax(i32) start(bytes) hasEnd(u8) [end(bytes)]
 *                                               answered by  position count(i32) (key(bytes) value(bytes))* more(u8) [continueAt(bytes)]
 * SHARE  routing atLeast(position) key(bytes)   answered by  load(i32) epoch(i64) quorum(i32) applied(position) pending(position) found(u8) value(the rest)
 * </pre>
 *
 * <p>Reading throws {@link MalformedException} on bytes that are not what they should be, and
 * checks every length against what is left before it allocates.
 */
public final class DataFrames {
  private static final int ROUTING_BYTES = 2 * Integer.BYTES + Long.BYTES;
  private static final int POSITION_BYTES = 2 * Long.BYTES;
  private static final int GUARANTEE_BYTES_MAX = 1 + POSITION_BYTES;

  private DataFrames() {}

  /**
   * @param rowsMax most rows wanted; 1 or more
   * @param bytesMax stop after the row that reaches this many bytes of keys and values; 1 or more
   */
  public record Scan(Guarantee guarantee, KeyRange range, int rowsMax, int bytesMax) {}

  public record Get(Guarantee guarantee, Key key) {}

  /**
   * One replica is asked for its part of a quorum read.
   *
   * @param atLeast what it has to have executed before it answers; {@link Position#NONE} for
   *     nothing
   */
  public record ShareOf(Key key, Position atLeast) {}

  /** How long the routing part of every body is, in bytes. */
  public static int routingBytes() {
    return ROUTING_BYTES;
  }

  public static void writeRouting(ByteBuf to, Routing routing) {
    to.writeInt(routing.region()).writeLong(routing.epoch()).writeInt(routing.timeoutMillis());
  }

  public static Routing readRouting(ByteBuf from) {
    need(from, ROUTING_BYTES);
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
    need(from, 2 * Integer.BYTES);
    int rowsMax = from.readInt();
    int bytesMax = from.readInt();
    if (rowsMax < 1 || bytesMax < 1) {
      throw new MalformedException("A scan asks for at least 1 row and 1 byte.");
    }
    Key start = readKey(from);
    Optional<Key> end = readOptionalKey(from);
    requireEnd(from);
    if (end.isPresent() && end.get().compareTo(start) < 0) {
      throw new MalformedException(
          "A scan's start is at or before its end; start "
              + start
              + " is after end "
              + end.get()
              + ".");
    }
    return new Scan(guarantee, new KeyRange(start, end), rowsMax, bytesMax);
  }

  public static int size(ShareOf ask) {
    return POSITION_BYTES + Integer.BYTES + ask.key().size();
  }

  public static void writeShareOf(ByteBuf to, ShareOf ask) {
    writePosition(to, ask.atLeast());
    writeKey(to, ask.key());
  }

  public static ShareOf readShareOf(ByteBuf from) {
    Position atLeast = readPosition(from);
    ShareOf ask = new ShareOf(readKey(from), atLeast);
    requireEnd(from);
    return ask;
  }

  public static int size(Share<Optional<byte[]>> share) {
    return Long.BYTES
        + 2 * Integer.BYTES
        + 2 * POSITION_BYTES
        + 1
        + share.value().map(value -> value.length).orElse(0);
  }

  /**
   * Without who gave it: that is whom the connection leads to.
   *
   * @param load how many requests the node has in flight
   */
  public static void writeShare(ByteBuf to, Share<Optional<byte[]>> share, int load) {
    to.writeInt(load).writeLong(share.epoch()).writeInt(share.quorum());
    writePosition(to, share.applied());
    writePosition(to, share.pending());
    writeValue(to, share.value());
  }

  /** How much a node has to do that gave a share; reads nothing off. */
  public static int loadOf(ByteBuf share) {
    need(share, Integer.BYTES);
    return share.getInt(share.readerIndex());
  }

  /**
   * @param replica who was asked
   */
  public static Share<Optional<byte[]>> readShare(ByteBuf from, NodeId replica) {
    need(from, Long.BYTES + 2 * Integer.BYTES);
    from.skipBytes(Integer.BYTES);
    long epoch = from.readLong();
    int quorum = from.readInt();
    if (quorum < 1) {
      throw new MalformedException("A quorum has at least 1 replica, not " + quorum + ".");
    }
    return new Share<>(
        replica, epoch, quorum, readPosition(from), readPosition(from), readValue(from));
  }

  public static void writePosition(ByteBuf to, Position position) {
    to.writeLong(position.epoch()).writeLong(position.index());
  }

  public static Position readPosition(ByteBuf from) {
    need(from, POSITION_BYTES);
    return new Position(from.readLong(), from.readLong());
  }

  public static void writeValue(ByteBuf to, Optional<byte[]> value) {
    to.writeBoolean(value.isPresent());
    value.ifPresent(to::writeBytes);
  }

  public static Optional<byte[]> readValue(ByteBuf from) {
    need(from, 1);
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

  /** Values are copies: the page outlives the frame. */
  public static ScanPage readPage(ByteBuf from) {
    need(from, Integer.BYTES);
    int count = from.readInt();
    if (count < 0 || count > from.readableBytes()) {
      throw new MalformedException("A page claims " + count + " rows, more than it holds.");
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
    if (guarantee instanceof Guarantee.Linearizable) {
      to.writeByte(0);
    } else if (guarantee instanceof Guarantee.LinearizableIfClocksBounded) {
      to.writeByte(1);
    } else if (guarantee instanceof Guarantee.AtLeast atLeast) {
      writePosition(to.writeByte(2), atLeast.position());
    } else {
      to.writeByte(3);
    }
  }

  private static Guarantee readGuarantee(ByteBuf from) {
    need(from, 1);
    byte tag = from.readByte();
    return switch (tag) {
      case 0 -> Guarantee.LINEARIZABLE;
      case 1 -> Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED;
      case 2 -> new Guarantee.AtLeast(readPosition(from));
      case 3 -> Guarantee.LOCAL;
      default -> throw new MalformedException("There is no read guarantee " + tag + ".");
    };
  }

  private static void writeKey(ByteBuf to, Key key) {
    to.writeInt(key.size()).writeBytes(key.bytes());
  }

  private static Key readKey(ByteBuf from) {
    return Key.wrap(readBytes(from, Limits.KEY_BYTES_MOST));
  }

  private static void writeOptionalKey(ByteBuf to, Optional<Key> key) {
    to.writeBoolean(key.isPresent());
    key.ifPresent(present -> writeKey(to, present));
  }

  private static Optional<Key> readOptionalKey(ByteBuf from) {
    need(from, 1);
    return from.readBoolean() ? Optional.of(readKey(from)) : Optional.empty();
  }

  private static byte[] readBytes(ByteBuf from, int most) {
    need(from, Integer.BYTES);
    int length = from.readInt();
    if (length < 0 || length > most) {
      throw new MalformedException(
          "A length of " + length + " is beyond the limit of " + most + ".");
    }
    need(from, length);
    byte[] bytes = new byte[length];
    from.readBytes(bytes);
    return bytes;
  }

  private static void need(ByteBuf from, int bytes) {
    if (from.readableBytes() < bytes) {
      throw new MalformedException("A frame ends before its body is complete.");
    }
  }

  private static void requireEnd(ByteBuf from) {
    if (from.isReadable()) {
      throw new MalformedException(
          "A frame has " + from.readableBytes() + " bytes after its body.");
    }
  }
}

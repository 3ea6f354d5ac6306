package io.quorate.replication.log.segment;

import io.quorate.model.Position;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The verified head of a record; its payload may be missing or damaged.
 *
 * @param length the length of the payload in bytes
 * @param durable the offset up to which the segment was durable when the record was written
 * @param group the number of the group; {@link #NO_GROUP} for records of the log itself
 * @param generation distinguishes the groups that had this number one after another
 * @param sequence numbers the records of a generation in the order of the log, without a gap
 */
public record RecordHead(
    int length,
    int payloadChecksum,
    int durable,
    int group,
    int generation,
    int type,
    long sequence,
    Position at) {
  /** The length of an encoded head. */
  public static final int BYTES = 7 * Integer.BYTES - 3 + 3 * Long.BYTES;

  /** The group of records of the log itself. */
  public static final int NO_GROUP = -1;

  private static final int PAYLOAD_CHECKSUM_AT = 4;
  private static final int DURABLE_AT = 8;
  private static final int GROUP_AT = 12;
  private static final int GENERATION_AT = 16;
  private static final int TYPE_AT = 20;
  private static final int SEQUENCE_AT = 21;
  private static final int EPOCH_AT = 29;
  private static final int INDEX_AT = 37;
  private static final int CHECKED_BYTES = 45;

  /** The head at an offset of a segment; empty if there is no valid one. */
  static Optional<RecordHead> at(ByteBuffer segment, int offset, HeadChecksum checksum) {
    if (offset > segment.limit() - BYTES) {
      return Optional.empty();
    }
    int length = segment.getInt(offset);
    int durable = segment.getInt(offset + DURABLE_AT);
    int type = segment.get(offset + TYPE_AT) & 0xff;
    // Computes a checksum only where the values are plausible.
    if (length < 0
        || durable < 0
        || durable > offset
        || !RecordType.isValid(type)
        || segment.getInt(offset + CHECKED_BYTES) != checksum.of(segment, offset, offset)) {
      return Optional.empty();
    }
    return Optional.of(decode(segment, offset));
  }

  private static RecordHead decode(ByteBuffer from, int offset) {
    return new RecordHead(
        from.getInt(offset),
        from.getInt(offset + PAYLOAD_CHECKSUM_AT),
        from.getInt(offset + DURABLE_AT),
        from.getInt(offset + GROUP_AT),
        from.getInt(offset + GENERATION_AT),
        from.get(offset + TYPE_AT) & 0xff,
        from.getLong(offset + SEQUENCE_AT),
        new Position(from.getLong(offset + EPOCH_AT), from.getLong(offset + INDEX_AT)));
  }

  /**
   * Reads a head that was read from a place on its own.
   *
   * @param offset the place in the segment
   */
  static Optional<RecordHead> of(ByteBuffer head, int offset, HeadChecksum checksum) {
    return head.getInt(CHECKED_BYTES) == checksum.of(head, 0, offset)
        ? Optional.of(decode(head, 0))
        : Optional.empty();
  }

  /** The length of the record. */
  public int recordBytes() {
    return BYTES + length;
  }

  /** Computes the checksums of heads of one segment. Not thread-safe. */
  static final class HeadChecksum {
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer place = ByteBuffer.allocate(3 * Long.BYTES);
    private final byte[] head = new byte[CHECKED_BYTES];

    HeadChecksum(long salt, long segment) {
      place.putLong(0, salt).putLong(Long.BYTES, segment);
    }

    /**
     * @param from has the head at {@code at}
     * @param offset the place in the segment
     */
    int of(ByteBuffer from, int at, int offset) {
      from.get(at, head);
      return ofHead(offset);
    }

    private int ofHead(int offset) {
      place.putLong(2 * Long.BYTES, offset);
      crc.reset();
      crc.update(place.array());
      crc.update(head);
      return (int) crc.getValue();
    }
  }

  /** Encodes records of one segment without allocating. Not thread-safe. */
  public static final class Encoder {
    private final HeadChecksum checksum;

    Encoder(long salt, long segment) {
      this.checksum = new HeadChecksum(salt, segment);
    }

    /**
     * Writes a head at the buffer's position.
     *
     * @param offset the place of the record in the segment
     */
    public void encode(
        ByteBuffer to,
        int offset,
        int length,
        int payloadChecksum,
        int durable,
        int group,
        int generation,
        int type,
        long sequence,
        long epoch,
        long index) {
      int start = to.position();
      to.putInt(length).putInt(payloadChecksum).putInt(durable).putInt(group).putInt(generation);
      to.put((byte) type).putLong(sequence).putLong(epoch).putLong(index);
      to.putInt(checksum.of(to, start, offset));
    }
  }

  /** The checksum of a payload. */
  public static int checksum(byte[] payload) {
    CRC32C crc = new CRC32C();
    crc.update(payload);
    return (int) crc.getValue();
  }
}

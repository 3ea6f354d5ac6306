package io.quorate.rabia.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.rabia.codec.RecordCodec;
import io.quorate.rabia.protocol.LogRecord;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A record in a segment. Its head is verified; its payload may be missing or damaged.
 *
 * @param offset the offset of its head in the file
 * @param length the length of the payload in bytes
 * @param sequence the sequence number of the record
 * @param durable the last record that was durable when this one was written
 */
record RecordFrame(int offset, int length, long sequence, long durable, int payloadChecksum) {
  static final int HEAD_BYTES = 2 * Integer.BYTES + 2 * Long.BYTES + Integer.BYTES;

  private static final int SEQUENCE_AT = Integer.BYTES;
  private static final int DURABLE_AT = SEQUENCE_AT + Long.BYTES;
  private static final int PAYLOAD_CHECKSUM_AT = DURABLE_AT + Long.BYTES;
  private static final int HEAD_CHECKSUM_AT = PAYLOAD_CHECKSUM_AT + Integer.BYTES;

  /**
   * Appends a record.
   *
   * @param segment the number of the segment that the record is for
   * @param offset the offset of the record in that segment
   * @return the length of the record with its head
   */
  static int append(
      LogRecord record, long sequence, long durable, long segment, long offset, ByteBuf to) {
    int start = to.writerIndex();
    to.writeZero(HEAD_BYTES);
    RecordCodec.write(record, to);
    int length = to.writerIndex() - start - HEAD_BYTES;
    CRC32C payload = new CRC32C();
    payload.update(to.nioBuffer(start + HEAD_BYTES, length));
    RecordFrame frame =
        new RecordFrame((int) offset, length, sequence, durable, (int) payload.getValue());
    to.setInt(start, length);
    to.setLong(start + SEQUENCE_AT, sequence);
    to.setLong(start + DURABLE_AT, durable);
    to.setInt(start + PAYLOAD_CHECKSUM_AT, frame.payloadChecksum());
    to.setInt(start + HEAD_CHECKSUM_AT, frame.headChecksum(segment));
    return HEAD_BYTES + length;
  }

  /** The record at an offset of a segment; empty if there is no valid head. */
  static Optional<RecordFrame> at(int offset, ByteBuffer file, long segment) {
    if (offset > file.limit() - HEAD_BYTES || file.getInt(offset) <= 0) {
      return Optional.empty();
    }
    RecordFrame frame =
        new RecordFrame(
            offset,
            file.getInt(offset),
            file.getLong(offset + SEQUENCE_AT),
            file.getLong(offset + DURABLE_AT),
            file.getInt(offset + PAYLOAD_CHECKSUM_AT));
    return file.getInt(offset + HEAD_CHECKSUM_AT) == frame.headChecksum(segment)
        ? Optional.of(frame)
        : Optional.empty();
  }

  /** The value at the {@code durable} field of a record that would begin at this offset. */
  static long durableAt(int offset, ByteBuffer file) {
    return file.getLong(offset + DURABLE_AT);
  }

  private int headChecksum(long segment) {
    ByteBuffer checked = ByteBuffer.allocate(2 * Long.BYTES + HEAD_BYTES - Integer.BYTES);
    checked.putLong(segment).putLong(offset);
    checked.putInt(length).putLong(sequence).putLong(durable).putInt(payloadChecksum);
    CRC32C crc = new CRC32C();
    crc.update(checked.flip());
    return (int) crc.getValue();
  }

  /** The offset after the record. */
  long end() {
    return (long) offset + HEAD_BYTES + length;
  }

  /** Whether the payload is complete and matches its checksum. */
  boolean isIntact(ByteBuffer file) {
    if (end() > file.limit()) {
      return false;
    }
    CRC32C crc = new CRC32C();
    crc.update(payload(file));
    return (int) crc.getValue() == payloadChecksum;
  }

  /**
   * Decodes the payload, which must be intact.
   *
   * @throws io.quorate.common.DecodeException if this program cannot decode such a record
   */
  LogRecord decode(ByteBuffer file) {
    return RecordCodec.read(Unpooled.wrappedBuffer(payload(file)));
  }

  private ByteBuffer payload(ByteBuffer file) {
    return file.slice(offset + HEAD_BYTES, length);
  }
}

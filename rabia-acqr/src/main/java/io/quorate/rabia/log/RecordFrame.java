package io.quorate.rabia.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.rabia.codec.RecordCodec;
import io.quorate.rabia.protocol.LogRecord;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A record as it stands in a segment. Its head can be believed; its payload need not be there.
 *
 * @param offset where in the file its head begins
 * @param length of the payload
 * @param sequence which record it is
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
   * @param segment the number of the segment it is for
   * @param offset where in it the record will begin
   * @return its length with its head
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

  /** What stands at an offset of a segment, if that is the head of a record. */
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

  /** What stands where a record that begins at this offset says what was durable. */
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

  /** Where the next record begins. */
  long end() {
    return (long) offset + HEAD_BYTES + length;
  }

  /** Whether the payload is what was written. */
  boolean isIntact(ByteBuffer file) {
    if (end() > file.limit()) {
      return false;
    }
    CRC32C crc = new CRC32C();
    crc.update(payload(file));
    return (int) crc.getValue() == payloadChecksum;
  }

  /**
   * The record, whose payload is intact.
   *
   * @throws io.quorate.operation.MalformedException if this program does not know such a record
   */
  LogRecord decode(ByteBuffer file) {
    return RecordCodec.read(Unpooled.wrappedBuffer(payload(file)));
  }

  private ByteBuffer payload(ByteBuffer file) {
    return file.slice(offset + HEAD_BYTES, length);
  }
}

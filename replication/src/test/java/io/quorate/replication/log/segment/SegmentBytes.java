package io.quorate.replication.log.segment;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** The bytes of a segment with any records, whose checksums match. */
public final class SegmentBytes {
  private static final long SALT = 7;
  private static final int BYTES_MAX = 1 << 16;

  private final ByteBuffer to = ByteBuffer.allocate(BYTES_MAX);
  private final RecordHead.Encoder encoder;

  public SegmentBytes(long number, LogOwner owner) {
    new SegmentStart(number, SALT, owner, 0).encode(to);
    encoder = new RecordHead.Encoder(SALT, number);
  }

  /** Adds a record of the first generation of a group. */
  public SegmentBytes add(
      int type, int group, long sequence, long epoch, long index, byte[] payload) {
    encoder.encode(
        to,
        to.position(),
        payload.length,
        RecordHead.checksum(payload),
        to.position(),
        group,
        1,
        type,
        sequence,
        epoch,
        index);
    to.put(payload);
    return this;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(to.array(), to.position());
  }
}

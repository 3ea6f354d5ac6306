package io.quorate.rabia.log;

import io.quorate.common.Sectors;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The bytes after the last readable record of the last segment: nothing, a torn write, or damage.
 * The package description defines how they are distinguished.
 */
final class UnreadableTail {
  private final ByteBuffer file;
  private final long segment;
  private final int start;
  private final long sequence;

  /**
   * @param file the content of the segment
   * @param segment the number of the segment
   * @param start the offset of the first record that cannot be read
   * @param sequence the sequence number of that record
   */
  UnreadableTail(ByteBuffer file, long segment, int start, long sequence) {
    this.file = file;
    this.segment = segment;
    this.start = start;
    this.sequence = sequence;
  }

  /** Whether the bytes are all zeros. */
  boolean isEmpty() {
    return Sectors.isZero(file, start, file.limit());
  }

  /** The offset of a later record that was written when the first unreadable one was durable. */
  OptionalInt proofOfDurability() {
    for (int offset = start; offset <= file.limit() - RecordFrame.HEAD_BYTES; offset++) {
      long claim = RecordFrame.durableAt(offset, file);
      // Computes a checksum only where the value is plausible.
      if (claim >= sequence
          && claim - sequence < file.limit()
          && RecordFrame.at(offset, file, segment).isPresent()) {
        return OptionalInt.of(offset);
      }
    }
    return OptionalInt.empty();
  }

  /** Whether the unreadable record has a sector of zeros, or lacks its end. */
  boolean isInterruptedWrite() {
    Optional<RecordFrame> head = RecordFrame.at(start, file, segment);
    long end = head.map(RecordFrame::end).orElse((long) start + RecordFrame.HEAD_BYTES);
    if (end > file.limit()) {
      return true;
    }
    for (int from = start; from < end; from = Sectors.after(from)) {
      if (Sectors.isZero(file, from, Math.min(Sectors.after(from), file.limit()))) {
        return true;
      }
    }
    return false;
  }
}

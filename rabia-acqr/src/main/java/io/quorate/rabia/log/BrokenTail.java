package io.quorate.rabia.log;

import io.quorate.consensus.disk.Sectors;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What follows the last readable record of the last segment: nothing, what an interrupted write
 * left, or damage. The package's description says how they are told apart.
 */
final class BrokenTail {
  private final ByteBuffer file;
  private final long segment;
  private final int start;
  private final long sequence;

  /**
   * @param file all of it
   * @param segment its number
   * @param start where the first record would begin that cannot be read
   * @param sequence which record that would be
   */
  BrokenTail(ByteBuffer file, long segment, int start, long sequence) {
    this.file = file;
    this.segment = segment;
    this.start = start;
    this.sequence = sequence;
  }

  /** Whether nothing was written there. */
  boolean isEmpty() {
    return Sectors.isZero(file, start, file.limit());
  }

  /** Where a later record stands that was written when the first unreadable one was durable. */
  OptionalInt proofOfDurability() {
    for (int offset = start; offset <= file.limit() - RecordFrame.HEAD_BYTES; offset++) {
      long claim = RecordFrame.durableAt(offset, file);
      // Only what looks like it is worth a checksum.
      if (claim >= sequence
          && claim - sequence < file.limit()
          && RecordFrame.at(offset, file, segment).isPresent()) {
        return OptionalInt.of(offset);
      }
    }
    return OptionalInt.empty();
  }

  /** Whether the unreadable record lacks a sector, or its end. */
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

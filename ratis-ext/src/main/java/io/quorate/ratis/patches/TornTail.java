package io.quorate.ratis.patches;

import io.quorate.common.Sectors;
import java.nio.ByteBuffer;

/**
 * Distinguishes a torn write, which was interrupted by a power loss and never acknowledged, from a
 * record that was damaged later.
 *
 * <p>A disk writes whole sectors. A file grows with its entries, or is filled with zeros ahead of
 * them, so a sector of a torn write has its intended content, or is all zeros, or is beyond the end
 * of the file. Which of the sectors of a write are missing is arbitrary, so entries that were
 * written together may follow such a sector. A tail of this form may be dropped if it begins at or
 * after the end of what was durable ({@link io.quorate.common.DurableEnd}), which is for the caller
 * to decide; any other may have been acknowledged.
 *
 * <p>Part of {@link LogVerifier}.
 */
final class TornTail {
  private static final int LENGTH_BYTES_MAX = 5;
  private static final int LENGTH_BITS = 7;
  private static final int CHECKSUM_BYTES = 4;

  private final ByteBuffer file;
  private final int start;

  /**
   * @param file the whole content, from position 0 to the limit
   * @param start the offset of the first record that cannot be read
   */
  TornTail(ByteBuffer file, int start) {
    this.file = file;
    this.start = start;
  }

  /** Whether nothing was written after the last readable record. */
  boolean isEmpty() {
    return Sectors.isZero(file, start, file.limit());
  }

  /** Whether the tail has the form of a torn write. */
  boolean isInterruptedWrite() {
    if (start == file.limit()) {
      return false;
    }
    if (file.get(start) == 0) {
      // The first sector of the record is missing.
      return Sectors.isZero(file, start, Math.min(Sectors.after(start), file.limit()));
    }
    long end = recordEnd();
    if (end > file.limit()) {
      return file.limit() % Sectors.BYTES == 0 || hasMissingSector(file.limit());
    }
    return hasMissingSector((int) end);
  }

  private boolean hasMissingSector(int end) {
    for (int sector = Sectors.after(start); sector < end; sector += Sectors.BYTES) {
      int sectorEnd = Math.min(sector + Sectors.BYTES, file.limit());
      if (Sectors.isZero(file, sector, sectorEnd)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The end of the record according to its length, which precedes it in units of seven bits a byte.
   */
  private long recordEnd() {
    long length = 0;
    for (int i = 0; i < LENGTH_BYTES_MAX && start + i < file.limit(); i++) {
      byte part = file.get(start + i);
      length |= (long) (part & 0x7f) << (LENGTH_BITS * i);
      if (part >= 0) {
        return start + i + 1 + length + CHECKSUM_BYTES;
      }
    }
    return Long.MAX_VALUE;
  }
}

package io.quorate.ratis.log;

import io.quorate.consensus.disk.Sectors;
import java.nio.ByteBuffer;

/**
 * Tells a record whose write was interrupted by a loss of power, and that was never acknowledged,
 * from one that was damaged later.
 *
 * <p>A disk writes sectors whole. The file was filled with zeros before, so that a sector of an
 * interrupted write is as it was meant to be, or zeros, or beyond the end of the file. The sector
 * before a missing one is there in full, and so does not end with zeros. What looks like this may
 * be dropped; everything else may have been acknowledged. Whole sectors that turned to zeros later
 * cannot be told from a loss of power.
 */
final class BrokenEnd {
  private static final int LENGTH_BYTES_MOST = 5;
  private static final int LENGTH_BITS = 7;
  private static final int CHECKSUM_BYTES = 4;

  private final ByteBuffer file;
  private final int start;

  /**
   * @param file all of it, from position 0 to the limit
   * @param start where the first record begins that cannot be read
   */
  BrokenEnd(ByteBuffer file, int start) {
    this.file = file;
    this.start = start;
  }

  /** Whether nothing was written after the last record that can be read. */
  boolean isEmpty() {
    return Sectors.isZero(file, start, file.limit());
  }

  /** Whether it is what an interrupted write leaves. */
  boolean isInterruptedWrite() {
    if (start == file.limit()) {
      return false;
    }
    if (file.get(start) == 0) {
      // The record's own first sector is missing.
      return Sectors.isZero(file, start, Math.min(Sectors.after(start), file.limit()));
    }
    long end = recordEnd();
    if (end > file.limit()) {
      return file.limit() % Sectors.BYTES == 0 && file.get(file.limit() - 1) != 0
          || hasMissingSector(file.limit());
    }
    return hasMissingSector((int) end);
  }

  private boolean hasMissingSector(int end) {
    for (int sector = Sectors.after(start); sector < end; sector += Sectors.BYTES) {
      int sectorEnd = Math.min(sector + Sectors.BYTES, file.limit());
      if (file.get(sector - 1) != 0 && Sectors.isZero(file, sector, sectorEnd)) {
        return true;
      }
    }
    return false;
  }

  /** Where the record ends by what its length says: it stands before it, seven bits a byte. */
  private long recordEnd() {
    long length = 0;
    for (int i = 0; i < LENGTH_BYTES_MOST && start + i < file.limit(); i++) {
      byte part = file.get(start + i);
      length |= (long) (part & 0x7f) << (LENGTH_BITS * i);
      if (part >= 0) {
        return start + i + 1 + length + CHECKSUM_BYTES;
      }
    }
    return Long.MAX_VALUE;
  }
}

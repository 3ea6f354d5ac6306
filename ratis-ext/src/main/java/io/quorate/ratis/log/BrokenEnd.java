package io.quorate.ratis.log;

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
  private static final int SECTOR = 512;
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
    return isZero(start, file.limit());
  }

  /** Whether it is what an interrupted write leaves. */
  boolean isInterruptedWrite() {
    if (start == file.limit()) {
      return false;
    }
    if (file.get(start) == 0) {
      // The record's own first sector is missing.
      return isZero(start, Math.min(sectorAfter(start), file.limit()));
    }
    long end = recordEnd();
    if (end > file.limit()) {
      return file.limit() % SECTOR == 0 && file.get(file.limit() - 1) != 0
          || hasMissingSector(file.limit());
    }
    return hasMissingSector((int) end);
  }

  private boolean hasMissingSector(int end) {
    for (int sector = sectorAfter(start); sector < end; sector += SECTOR) {
      int sectorEnd = Math.min(sector + SECTOR, file.limit());
      if (file.get(sector - 1) != 0 && isZero(sector, sectorEnd)) {
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

  private static int sectorAfter(int offset) {
    return offset / SECTOR * SECTOR + SECTOR;
  }

  private boolean isZero(int from, int to) {
    for (int i = from; i < to; i++) {
      if (file.get(i) != 0) {
        return false;
      }
    }
    return true;
  }
}

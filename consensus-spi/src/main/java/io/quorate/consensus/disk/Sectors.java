package io.quorate.consensus.disk;

import java.nio.ByteBuffer;

/**
 * The pieces that a disk writes whole: after a loss of power each is there, or as it was before.
 */
public final class Sectors {
  /** Bytes of the smallest sector that disks have; larger ones are made of these. */
  public static final int BYTES = 512;

  private Sectors() {}

  /** Where the sector begins that follows the one of {@code offset}. */
  public static int after(int offset) {
    return offset / BYTES * BYTES + BYTES;
  }

  /**
   * Whether nothing but zeros stands in {@code [from, to)} of a file, by absolute positions; true
   * if that is empty.
   */
  public static boolean isZero(ByteBuffer file, int from, int to) {
    for (int i = from; i < to; i++) {
      if (file.get(i) != 0) {
        return false;
      }
    }
    return true;
  }
}

package io.quorate.common;

import java.nio.ByteBuffer;

/**
 * Disk sectors, the units of atomic writes: after power loss each sector has either its new content
 * or its old. A torn write is a write of which only some sectors reached the disk.
 */
public final class Sectors {
  /** The size of the smallest sector in use, in bytes; larger sectors are multiples of it. */
  public static final int BYTES = 512;

  private Sectors() {}

  /** The offset of the first sector after the one that contains {@code offset}. */
  public static int after(int offset) {
    return offset / BYTES * BYTES + BYTES;
  }

  /**
   * Whether all bytes in {@code [from, to)} of a buffer are zero; true if the interval is empty.
   *
   * @param file the content of a file, read by absolute indexes; its position is not changed
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

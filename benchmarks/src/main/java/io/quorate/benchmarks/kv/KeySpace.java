package io.quorate.benchmarks.kv;

import java.nio.ByteBuffer;

/**
 * The keys that exist before a measurement begins. Keys of space 0 have 16 bytes and are spread
 * evenly over all first bytes, so that every region has an equal part. Keys of another space are
 * adjacent, like a table of their own: they begin with a common prefix of 4 bytes.
 *
 * @param space number of the space, 0 or more
 * @param count number of keys
 */
public record KeySpace(int space, int count) {
  private static final int KEY_BYTES = 2 * Long.BYTES;

  public KeySpace {
    if (space < 0) {
      throw new IllegalArgumentException("Spaces are numbered from 0 on, not " + space + ".");
    }
    if (count < 1) {
      throw new IllegalArgumentException("There is at least 1 key, not " + count + ".");
    }
  }

  /** Creates space 0 with this number of keys. */
  public KeySpace(int count) {
    this(0, count);
  }

  /**
   * The key with this number, 0 or more; keys from {@code count} on exist only after they are
   * inserted.
   */
  public byte[] key(int number) {
    ByteBuffer key =
        space == 0
            ? ByteBuffer.allocate(KEY_BYTES)
            : ByteBuffer.allocate(Integer.BYTES + KEY_BYTES).putInt(space);
    return key.putLong(mixed(number)).putLong(number).array();
  }

  /** Steele's mixing function: a bijection whose results look random. */
  private static long mixed(long number) {
    long z = (number + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}

package io.quorate.benchmarks.kv;

import java.nio.ByteBuffer;

/**
 * Keys that are there before a measurement begins. Those of the space 0 have 16 bytes and are
 * spread evenly over all first bytes, so that every region gets its share. Those of another space
 * lie together, as if they were a table of their own: 4 bytes that all of them begin with come
 * first.
 *
 * @param space which one, 0 or more
 * @param count how many keys there are
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

  /** The space 0 with so many keys. */
  public KeySpace(int count) {
    this(0, count);
  }

  /** The key with this number, 0 or more; those from {@code count} on are there once inserted. */
  byte[] key(int number) {
    ByteBuffer key =
        space == 0
            ? ByteBuffer.allocate(KEY_BYTES)
            : ByteBuffer.allocate(Integer.BYTES + KEY_BYTES).putInt(space);
    return key.putLong(mixed(number)).putLong(number).array();
  }

  /** Steele's mix: a bijection whose results look random. */
  private static long mixed(long number) {
    long z = (number + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}

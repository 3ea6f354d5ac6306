package io.quorate.benchmarks.kv;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Keys of 16 bytes, spread evenly over all first bytes, so that every region gets its share.
 *
 * @param count how many keys there are
 */
public record KeySpace(int count) {
  static final int KEY_BYTES = 2 * Long.BYTES;

  public KeySpace {
    if (count < 1) {
      throw new IllegalArgumentException("There is at least 1 key, not " + count + ".");
    }
  }

  /** The key with this number, from 0 to {@code count - 1}. */
  byte[] key(int number) {
    return ByteBuffer.allocate(KEY_BYTES).putLong(mixed(number)).putLong(number).array();
  }

  byte[] anyKey(RandomGenerator random) {
    return key(random.nextInt(count));
  }

  /** Steele's mix: a bijection whose results look random. */
  private static long mixed(long number) {
    long z = (number + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}

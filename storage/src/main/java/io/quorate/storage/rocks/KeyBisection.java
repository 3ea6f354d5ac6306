package io.quorate.storage.rocks;

import io.quorate.model.Key;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.ToLongFunction;

/**
 * Finds where a range of keys divides into parts of about equal size, from estimates of the size
 * alone: no rows are read. Pure.
 */
final class KeyBisection {
  /** Bytes after the common prefix of all keys that the search distinguishes. */
  private static final int WINDOW = Long.BYTES;

  /** The search ends when the parts differ by less than this part of the whole. */
  private static final int TOLERANCE_DIVISOR = 10;

  private KeyBisection() {}

  /**
   * A key, not necessarily one with a row, from {@code first} to {@code last}; above {@code first}
   * unless the keys differ in zero bytes alone.
   *
   * @param first the first key
   * @param last the last key, above the first one
   * @param bytesBelow estimates the size from the first key to another one, exclusive
   */
  static Key middle(Key first, Key last, ToLongFunction<Key> bytesBelow) {
    int shared = Arrays.mismatch(first.bytes(), last.bytes());
    byte[] prefix = Arrays.copyOf(first.bytes(), shared);
    long whole = bytesBelow.applyAsLong(last);
    // Unsigned: low is not above the middle, and high is not below it.
    long low = window(first, shared);
    long high = window(last, shared);
    while (Long.compareUnsigned(high - low, 1) > 0) {
      long middle = low + ((high - low) >>> 1);
      long difference = 2 * bytesBelow.applyAsLong(key(prefix, middle)) - whole;
      if (Math.abs(difference) <= whole / TOLERANCE_DIVISOR) {
        return key(prefix, middle);
      }
      if (difference < 0) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return key(prefix, high);
  }

  private static long window(Key key, int shared) {
    byte[] bytes = key.bytes();
    int end = Math.min(bytes.length, shared + WINDOW);
    return ByteBuffer.wrap(Arrays.copyOf(Arrays.copyOfRange(bytes, shared, end), WINDOW)).getLong();
  }

  private static Key key(byte[] prefix, long window) {
    byte[] bytes = Arrays.copyOf(prefix, prefix.length + WINDOW);
    ByteBuffer.wrap(bytes).putLong(prefix.length, window);
    int length = bytes.length;
    while (length > prefix.length && bytes[length - 1] == 0) {
      length--;
    }
    return Key.wrap(Arrays.copyOf(bytes, length));
  }
}

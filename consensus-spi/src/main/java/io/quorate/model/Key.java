package io.quorate.model;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;

/**
 * An immutable key. Keys are ordered lexicographically by unsigned bytes; a prefix precedes the
 * keys that begin with it.
 *
 * <p>The empty key is the lowest of all. It bounds ranges and is never stored.
 */
public final class Key implements Comparable<Key> {
  public static final Key EMPTY = new Key(new byte[0]);

  private final byte[] bytes;

  private Key(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Creates a key from a copy of {@code bytes}. */
  public static Key copyOf(byte[] bytes) {
    return new Key(Objects.requireNonNull(bytes, "bytes must not be null").clone());
  }

  /** Creates a key that shares {@code bytes}, which the caller must not change afterwards. */
  public static Key wrap(byte[] bytes) {
    return new Key(Objects.requireNonNull(bytes, "bytes must not be null"));
  }

  /**
   * Creates a key from the UTF-8 encoding of {@code text}.
   *
   * @throws IllegalArgumentException if it has half of a surrogate pair, which UTF-8 cannot encode
   */
  public static Key utf8(String text) {
    Objects.requireNonNull(text, "text must not be null");
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      return new Key(Arrays.copyOf(encoded.array(), encoded.remaining()));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "A text has half of a surrogate pair, which UTF-8 cannot encode.", e);
    }
  }

  /** Length in bytes. */
  public int size() {
    return bytes.length;
  }

  public boolean isEmpty() {
    return bytes.length == 0;
  }

  /** The array of the key, not a copy. The caller must not change it. */
  public byte[] bytes() {
    return bytes;
  }

  /** The lowest key above this one: this one followed by a zero byte. */
  public Key next() {
    return new Key(Arrays.copyOf(bytes, bytes.length + 1));
  }

  /**
   * The lowest key above this one, among the keys of at most {@code bytesMax} bytes.
   *
   * @param bytesMax at least the size of this key
   * @throws IllegalArgumentException if this key is the {@linkplain #highest highest} of them, or
   *     too long
   */
  public Key next(int bytesMax) {
    requireAtMost(bytesMax);
    if (size() < bytesMax) {
      return next();
    }
    int last = bytes.length - 1;
    while (last >= 0 && bytes[last] == (byte) 0xff) {
      last--;
    }
    if (last < 0) {
      throw new IllegalArgumentException(
          "No key of at most " + bytesMax + " bytes is above the highest one.");
    }
    byte[] above = Arrays.copyOf(bytes, last + 1);
    above[last]++;
    return new Key(above);
  }

  private void requireAtMost(int bytesMax) {
    if (size() > bytesMax) {
      throw new IllegalArgumentException(
          "A key of at most " + bytesMax + " bytes is required; this one has " + size() + ".");
    }
  }

  /**
   * The highest key below this one, among the keys of at most {@code bytesMax} bytes.
   *
   * @param bytesMax at least the size of this key
   * @throws IllegalArgumentException if this key is empty, so that none is below it, or too long
   */
  public Key previous(int bytesMax) {
    requireAtMost(bytesMax);
    if (isEmpty()) {
      throw new IllegalArgumentException("No key is below the empty one.");
    }
    int last = bytes.length - 1;
    if (bytes[last] == 0) {
      return new Key(Arrays.copyOf(bytes, last));
    }
    byte[] below = Arrays.copyOf(bytes, bytesMax);
    below[last]--;
    Arrays.fill(below, bytes.length, bytesMax, (byte) 0xff);
    return new Key(below);
  }

  /** The highest key of at most {@code bytesMax} bytes. */
  public static Key highest(int bytesMax) {
    byte[] bytes = new byte[bytesMax];
    Arrays.fill(bytes, (byte) 0xff);
    return new Key(bytes);
  }

  @Override
  public int compareTo(Key other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** In quotes: printable ASCII unchanged, quotes and all other bytes as {@code \xNN}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(bytes.length + 2).append('"');
    for (byte b : bytes) {
      if (b >= 0x20 && b < 0x7f && b != '"' && b != '\\') {
        text.append((char) b);
      } else {
        text.append(String.format(Locale.ROOT, "\\x%02x", b));
      }
    }
    return text.append('"').toString();
  }
}

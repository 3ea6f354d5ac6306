package io.quorate.consensus;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

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
    return new Key(bytes.clone());
  }

  /** Creates a key that shares {@code bytes}, which the caller must not change afterwards. */
  public static Key wrap(byte[] bytes) {
    return new Key(bytes);
  }

  /** Creates a key from the UTF-8 encoding of {@code text}. */
  public static Key utf8(String text) {
    return new Key(text.getBytes(StandardCharsets.UTF_8));
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
        text.append(String.format("\\x%02x", b));
      }
    }
    return text.append('"').toString();
  }
}

package io.quorate.consensus;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable key. Keys are ordered as unsigned bytes, a prefix before what it is a prefix of.
 *
 * <p>The empty key is the lowest of all; it bounds ranges and is never stored.
 */
public final class Key implements Comparable<Key> {
  public static final Key EMPTY = new Key(new byte[0]);

  private final byte[] bytes;

  private Key(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A key of a copy of {@code bytes}. */
  public static Key copyOf(byte[] bytes) {
    return new Key(bytes.clone());
  }

  /** A key of {@code bytes} itself, which the caller must never change again. */
  public static Key wrap(byte[] bytes) {
    return new Key(bytes);
  }

  /** The UTF-8 bytes of {@code text}. */
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

  /** The bytes themselves, not a copy: read them, never change them. */
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

  /** Printable ASCII as it is, every other byte as {@code \xNN}. */
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

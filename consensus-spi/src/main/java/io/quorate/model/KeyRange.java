package io.quorate.model;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * A contiguous range of keys: from {@code start}, inclusive, to {@code end}, exclusive.
 *
 * @param start the lowest key of the range; {@link Key#EMPTY} for a range without a lower bound
 * @param end the first key beyond the range, not below {@code start}; empty for a range without an
 *     upper bound
 */
public record KeyRange(Key start, Optional<Key> end) {
  public static final KeyRange ALL = new KeyRange(Key.EMPTY, Optional.empty());

  /** The encoded length of a missing end. */
  private static final int NO_KEY = -1;

  public KeyRange {
    Objects.requireNonNull(end, "end must not be null");
    Objects.requireNonNull(start, "start must not be null");
    if (end.isPresent() && end.get().compareTo(start) < 0) {
      throw new IllegalArgumentException(
          "A range starts at or before its end: start " + start + ", end " + end.get());
    }
  }

  public static KeyRange of(Key start, Key end) {
    return new KeyRange(start, Optional.of(Objects.requireNonNull(end, "end must not be null")));
  }

  /** As {@link #of(Key, Key)}, with both in UTF-8, as {@link Key#utf8}. */
  public static KeyRange of(String start, String end) {
    return of(
        Key.utf8(Objects.requireNonNull(start, "start must not be null")),
        Key.utf8(Objects.requireNonNull(end, "end must not be null")));
  }

  /** As {@link #ofPrefix(Key)}, with the prefix in UTF-8, as {@link Key#utf8}. */
  public static KeyRange ofPrefix(String prefix) {
    return ofPrefix(Key.utf8(Objects.requireNonNull(prefix, "prefix must not be null")));
  }

  public static KeyRange from(Key start) {
    return new KeyRange(start, Optional.empty());
  }

  /** The keys that begin with {@code prefix}, itself included; all keys if it is empty. */
  public static KeyRange ofPrefix(Key prefix) {
    byte[] bytes = Objects.requireNonNull(prefix, "prefix must not be null").bytes();
    int length = bytes.length;
    while (length > 0 && bytes[length - 1] == (byte) 0xff) {
      length--;
    }
    if (length == 0) {
      return from(prefix);
    }
    byte[] successor = Arrays.copyOf(bytes, length);
    successor[length - 1]++;
    return of(prefix, Key.wrap(successor));
  }

  public boolean contains(Key key) {
    return Objects.requireNonNull(key, "key must not be null").compareTo(start) >= 0
        && isBeforeEnd(key);
  }

  /** Whether {@code key} is below the end of the range, whether or not it is below the start. */
  public boolean isBeforeEnd(Key key) {
    Objects.requireNonNull(key, "key must not be null");
    return end.isEmpty() || key.compareTo(end.get()) < 0;
  }

  /** Whether every key of the other range is in this one. */
  public boolean covers(KeyRange other) {
    return Objects.requireNonNull(other, "other must not be null").isEmpty()
        || intersect(other).equals(other);
  }

  public boolean isEmpty() {
    return end.isPresent() && end.get().equals(start);
  }

  /** The keys of this range from a key on. */
  public KeyRange startingAt(Key first) {
    return intersect(from(Objects.requireNonNull(first, "first must not be null")));
  }

  /** The keys of this range below a key. */
  public KeyRange endingBefore(Key beyond) {
    return intersect(
        new KeyRange(
            Key.EMPTY, Optional.of(Objects.requireNonNull(beyond, "beyond must not be null"))));
  }

  /** The keys of both ranges; if there are none, an empty range at the higher start. */
  public KeyRange intersect(KeyRange other) {
    Objects.requireNonNull(other, "other must not be null");
    Key lower = start.compareTo(other.start) >= 0 ? start : other.start;
    Optional<Key> upper =
        end.isEmpty() || (other.end.isPresent() && other.end.get().compareTo(end.get()) < 0)
            ? other.end
            : end;
    return upper.isPresent() && upper.get().compareTo(lower) < 0
        ? new KeyRange(lower, Optional.of(lower))
        : new KeyRange(lower, upper);
  }

  /**
   * The length of the encoding in bytes, which is {@code start end}: each a length (i32,
   * big-endian) and the bytes of the key, or for a missing end the length -1.
   */
  public int encodedBytes() {
    return 2 * Integer.BYTES + start.size() + end.map(Key::size).orElse(0);
  }

  /**
   * Writes the encoding at the buffer's position.
   *
   * @param to a big-endian buffer in which at least {@link #encodedBytes} bytes remain
   * @return the same buffer
   */
  public ByteBuffer write(ByteBuffer to) {
    Objects.requireNonNull(to, "to must not be null");
    to.putInt(start.size()).put(start.bytes());
    return end.isPresent() ? to.putInt(end.get().size()).put(end.get().bytes()) : to.putInt(NO_KEY);
  }

  /**
   * Decodes a range at the buffer's position and advances the position past it.
   *
   * @param from a big-endian buffer
   * @throws BufferUnderflowException if the encoding is incomplete
   * @throws IllegalArgumentException if the range ends before it starts
   */
  public static KeyRange read(ByteBuffer from) {
    Objects.requireNonNull(from, "from must not be null");
    Key start = readKey(from).orElseThrow(BufferUnderflowException::new);
    return new KeyRange(start, readKey(from));
  }

  private static Optional<Key> readKey(ByteBuffer from) {
    int length = from.getInt();
    if (length == NO_KEY) {
      return Optional.empty();
    }
    if (length < 0 || length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    from.get(bytes);
    return Optional.of(Key.wrap(bytes));
  }

  @Override
  public String toString() {
    return "[" + start + ", " + end.map(Key::toString).orElse("end") + ")";
  }
}

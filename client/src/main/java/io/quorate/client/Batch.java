package io.quorate.client;

import io.quorate.common.Nulls;
import io.quorate.common.Utf8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that take effect atomically, in the order in which they were added. All keys must lie in
 * one region. Not thread-safe; keys and values are not copied. A method with a {@link String}
 * throws {@link InvalidRequestException}, and adds nothing, if that has half of a surrogate pair,
 * which UTF-8 cannot encode.
 */
public final class Batch {
  /**
   * The changes that a batch has at most, unless the nodes are configured otherwise ({@code
   * limits.batch-operations}).
   */
  public static final int CHANGES_MAX = 10_000;

  /**
   * The bytes that a batch has at most, unless the nodes are configured otherwise ({@code
   * limits.batch}): those of keys and values, and up to 16 for each change.
   */
  public static final int BYTES_MAX = 4 << 20;

  /**
   * A change of one key. Two instances of a kind are equal if their bytes and numbers are equal.
   */
  public sealed interface Change {
    /** The key; not copied. */
    byte[] key();
  }

  /** Sets the value. */
  public record Put(byte[] key, byte[] value) implements Change {
    public Put {
      Nulls.refuse(key, "key");
      Nulls.refuse(value, "value");
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Put that
          && Arrays.equals(key, that.key)
          && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
    }

    @Override
    public String toString() {
      return "Put[" + KeyValue.display(key) + "=" + KeyValue.display(value) + "]";
    }
  }

  /** Removes the key. */
  public record Delete(byte[] key) implements Change {
    public Delete {
      Nulls.refuse(key, "key");
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Delete that && Arrays.equals(key, that.key);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(key);
    }

    @Override
    public String toString() {
      return "Delete[" + KeyValue.display(key) + "]";
    }
  }

  /** Appends bytes to the value. */
  public record Append(byte[] key, byte[] suffix) implements Change {
    public Append {
      Nulls.refuse(key, "key");
      Nulls.refuse(suffix, "suffix");
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Append that
          && Arrays.equals(key, that.key)
          && Arrays.equals(suffix, that.suffix);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(key) + Arrays.hashCode(suffix);
    }

    @Override
    public String toString() {
      return "Append[" + KeyValue.display(key) + "+=" + KeyValue.display(suffix) + "]";
    }
  }

  /** Adds to the number. */
  public record Increment(byte[] key, long delta) implements Change {
    public Increment {
      Nulls.refuse(key, "key");
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Increment that && Arrays.equals(key, that.key) && delta == that.delta;
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(key) + Long.hashCode(delta);
    }

    @Override
    public String toString() {
      return "Increment[" + KeyValue.display(key) + " by " + delta + "]";
    }
  }

  private final List<Change> changes = new ArrayList<>();

  /** Adds a write that sets the value. */
  public Batch put(byte[] key, byte[] value) {
    changes.add(new Put(key, value));
    return this;
  }

  /** As {@link #put(byte[], byte[])}, with key and value in UTF-8. */
  public Batch put(String key, String value) {
    return put(utf8(key, "key"), utf8(value, "value"));
  }

  /** As {@link #put(byte[], byte[])}, with the key in UTF-8. */
  public Batch put(String key, byte[] value) {
    return put(utf8(key, "key"), value);
  }

  /** Adds a write that removes the key. A missing key is not an error. */
  public Batch delete(byte[] key) {
    changes.add(new Delete(key));
    return this;
  }

  /** As {@link #delete(byte[])}, with the key in UTF-8. */
  public Batch delete(String key) {
    return delete(utf8(key, "key"));
  }

  /**
   * Adds a write that appends bytes to the value. It changes nothing if the value would become too
   * long.
   */
  public Batch append(byte[] key, byte[] suffix) {
    changes.add(new Append(key, suffix));
    return this;
  }

  /** As {@link #append(byte[], byte[])}, with key and suffix in UTF-8. */
  public Batch append(String key, String suffix) {
    return append(utf8(key, "key"), utf8(suffix, "suffix"));
  }

  /** As {@link #increment(byte[], long)}, with the key in UTF-8. */
  public Batch increment(String key, long delta) {
    return increment(utf8(key, "key"), delta);
  }

  /**
   * Adds a write that adds to the number; a missing value counts as 0. It changes nothing if the
   * value is not a number or the sum does not fit in 64 bits.
   */
  public Batch increment(byte[] key, long delta) {
    changes.add(new Increment(key, delta));
    return this;
  }

  private static byte[] utf8(String text, String name) {
    try {
      return Utf8.bytes(Nulls.refuse(text, name));
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(e.getMessage());
    }
  }

  /** Returns the number of writes. */
  public int size() {
    return changes.size();
  }

  /** Returns the changes so far, in their order. */
  public List<Change> changes() {
    return List.copyOf(changes);
  }
}

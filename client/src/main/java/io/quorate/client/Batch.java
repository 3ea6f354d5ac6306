package io.quorate.client;

import io.quorate.consensus.Key;
import io.quorate.operation.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes that take effect atomically, in the order in which they were added. All keys must lie in
 * one region. Not thread-safe; keys and values are not copied.
 */
public final class Batch {
  private final List<Operation.OnKey> operations = new ArrayList<>();

  /** Adds a write that sets the value. */
  public Batch put(byte[] key, byte[] value) {
    operations.add(new Operation.Put(Key.wrap(key), ByteBuffer.wrap(value)));
    return this;
  }

  /** As {@link #put(byte[], byte[])}, with key and value in UTF-8. */
  public Batch put(String key, String value) {
    return put(Utf8.bytes(key), Utf8.bytes(value));
  }

  /** Adds a write that removes the key. A missing key is not an error. */
  public Batch delete(byte[] key) {
    operations.add(new Operation.Delete(Key.wrap(key)));
    return this;
  }

  /** As {@link #delete(byte[])}, with the key in UTF-8. */
  public Batch delete(String key) {
    return delete(Utf8.bytes(key));
  }

  /**
   * Adds a write that appends bytes to the value. It changes nothing if the value would become too
   * long.
   */
  public Batch append(byte[] key, byte[] suffix) {
    operations.add(new Operation.Append(Key.wrap(key), ByteBuffer.wrap(suffix)));
    return this;
  }

  /** As {@link #append(byte[], byte[])}, with key and suffix in UTF-8. */
  public Batch append(String key, String suffix) {
    return append(Utf8.bytes(key), Utf8.bytes(suffix));
  }

  /** As {@link #increment(byte[], long)}, with the key in UTF-8. */
  public Batch increment(String key, long delta) {
    return increment(Utf8.bytes(key), delta);
  }

  /**
   * Adds a write that adds to the number; a missing value counts as 0. It changes nothing if the
   * value is not a number or the sum does not fit in 64 bits.
   */
  public Batch increment(byte[] key, long delta) {
    operations.add(new Operation.Increment(Key.wrap(key), delta));
    return this;
  }

  /** Returns the number of writes. */
  public int size() {
    return operations.size();
  }

  Operation.Batch operation() {
    return new Operation.Batch(operations);
  }
}

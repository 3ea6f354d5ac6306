package io.quorate.client;

import io.quorate.consensus.Key;
import io.quorate.operation.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes that take effect together, in the order in which they were added. All keys must lie in
 * one region. Not safe for use by several threads at once; keys and values are not copied.
 */
public final class Batch {
  private final List<Operation.OnKey> operations = new ArrayList<>();

  public Batch put(byte[] key, byte[] value) {
    operations.add(new Operation.Put(Key.wrap(key), ByteBuffer.wrap(value)));
    return this;
  }

  /** As {@link #put(byte[], byte[])} with the UTF-8 bytes of both. */
  public Batch put(String key, String value) {
    return put(Utf8.bytes(key), Utf8.bytes(value));
  }

  public Batch delete(byte[] key) {
    operations.add(new Operation.Delete(Key.wrap(key)));
    return this;
  }

  /** As {@link #delete(byte[])} with the UTF-8 bytes. */
  public Batch delete(String key) {
    return delete(Utf8.bytes(key));
  }

  /** Adds bytes at the end of the value. Changes nothing if the value would become too long. */
  public Batch append(byte[] key, byte[] suffix) {
    operations.add(new Operation.Append(Key.wrap(key), ByteBuffer.wrap(suffix)));
    return this;
  }

  /** As {@link #append(byte[], byte[])} with the UTF-8 bytes of both. */
  public Batch append(String key, String suffix) {
    return append(Utf8.bytes(key), Utf8.bytes(suffix));
  }

  /** As {@link #increment(byte[], long)} with the UTF-8 bytes of the key. */
  public Batch increment(String key, long delta) {
    return increment(Utf8.bytes(key), delta);
  }

  /** Adds to the number. Changes nothing if the value is not a number, or the sum too large. */
  public Batch increment(byte[] key, long delta) {
    operations.add(new Operation.Increment(Key.wrap(key), delta));
    return this;
  }

  public int size() {
    return operations.size();
  }

  Operation.Batch operation() {
    return new Operation.Batch(operations);
  }
}

package io.quorate.storage.rocks;

import io.quorate.common.Bytes;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.Limits;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * Changes that are written atomically. One thread; the caller that opened it closes it.
 *
 * <p>RocksDB copies the bytes of each change, so the caller may reuse its buffers immediately.
 */
public final class DatabaseBatch implements AutoCloseable {
  /** Greater than every key. */
  private static final byte[] AFTER_ALL = new byte[Limits.KEY_BYTES_MAX + 1];

  static {
    Arrays.fill(AFTER_ALL, (byte) 0xff);
  }

  /**
   * Off-heap buffers for passing rows to RocksDB without an array for each row. Each thread that
   * writes has its own: few threads write, for any number of regions.
   */
  private static final class Scratch {
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    private static final int KEY_BYTES = 9 << 10;
    private static final int VALUE_BYTES = 64 << 10;

    private final ByteBuffer key = ByteBuffer.allocateDirect(KEY_BYTES);
    private final ByteBuffer value = ByteBuffer.allocateDirect(VALUE_BYTES);
  }

  private final NativeScope scope;
  private final Database database;
  private final Scratch scratch = Scratch.OF_THREAD.get();
  private final WriteBatch batch;

  DatabaseBatch(NativeScope scope, Database database) {
    this.scope = scope;
    this.database = database;
    this.batch = scope.own(new WriteBatch());
  }

  /** Sets a row. The value is read between position and limit; the buffer is not moved. */
  public void put(Family family, byte[] key, ByteBuffer value) throws DatabaseException {
    ColumnFamilyHandle handle = database.handle(family);
    try {
      if (key.length <= Scratch.KEY_BYTES && value.remaining() <= Scratch.VALUE_BYTES) {
        scratch.key.clear().put(key).flip();
        scratch
            .value
            .clear()
            .put(0, value, value.position(), value.remaining())
            .limit(value.remaining());
        batch.put(handle, scratch.key, scratch.value);
      } else {
        batch.put(handle, key, Bytes.of(value));
      }
    } catch (RocksDBException e) {
      throw new DatabaseException("Adding a row to a batch", e);
    }
  }

  public void put(Family family, byte[] key, byte[] value) throws DatabaseException {
    put(family, key, ByteBuffer.wrap(value));
  }

  public void delete(Family family, byte[] key) throws DatabaseException {
    try {
      batch.delete(database.handle(family), key);
    } catch (RocksDBException e) {
      throw new DatabaseException("Adding a deletion to a batch", e);
    }
  }

  /** Removes every row from {@code from}, inclusive, to {@code to}, exclusive. */
  public void deleteRange(Family family, byte[] from, byte[] to) throws DatabaseException {
    try {
      batch.deleteRange(database.handle(family), from, to);
    } catch (RocksDBException e) {
      throw new DatabaseException("Adding a range deletion to a batch", e);
    }
  }

  /**
   * Removes every row with a key of a range that is in the database now. Reads none of them, so
   * that rows in damaged files can be removed.
   */
  public void deleteRows(Family family, KeyRange range) throws DatabaseException {
    deleteRange(family, range.start().bytes(), range.end().map(Key::bytes).orElse(AFTER_ALL));
  }

  WriteBatch nativeBatch() {
    return batch;
  }

  @Override
  public void close() {
    scope.close();
  }
}

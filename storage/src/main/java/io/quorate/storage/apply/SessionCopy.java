package io.quorate.storage.apply;

import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.DatabaseException;
import io.quorate.storage.rocks.Family;
import java.nio.ByteBuffer;

/**
 * Writes the session rows of a region that does not have a base yet, in batches of bounded size:
 * the results of all clients may not fit in memory. The rows mean nothing until the region has its
 * base, so they need not be written together; a repeated attempt, which follows a failure or a
 * crash, writes the same ones again. One thread.
 */
final class SessionCopy implements AutoCloseable {
  /** Size at which a batch is written. */
  private static final long BATCH_BYTES = 4 << 20;

  private final Database database;
  private DatabaseBatch batch;
  private long bytes;

  SessionCopy(Database database) {
    this.database = database;
    this.batch = database.batch();
  }

  void put(byte[] key, ByteBuffer row) throws DatabaseException {
    batch.put(Family.SESSIONS, key, row);
    bytes += key.length + row.remaining();
    if (bytes >= BATCH_BYTES) {
      write();
      batch.close();
      batch = database.batch();
      bytes = 0;
    }
  }

  /** Writes the rows that are not written yet. */
  void write() throws DatabaseException {
    database.write(batch);
  }

  @Override
  public void close() {
    batch.close();
  }
}

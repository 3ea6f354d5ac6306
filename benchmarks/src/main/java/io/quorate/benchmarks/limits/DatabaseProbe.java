package io.quorate.benchmarks.limits;

import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Writes batches of 64 puts to RocksDB with the default options of a node, thus without a
 * write-ahead log: random ones of 10,000 keys of 16 bytes, with values of 1 KiB, by one thread.
 */
final class DatabaseProbe implements LimitProbe {
  private static final int BATCH_PUTS = 64;
  private static final int KEYS = 10_000;
  private static final int KEY_BYTES = 2 * Long.BYTES;
  private static final int VALUE_BYTES = 1 << 10;

  /** Values are windows into random bytes, so that they differ and cannot be compressed. */
  private static final int POOL_BYTES = 1 << 20;

  private final Database database;
  private final SplittableRandom random = new SplittableRandom();
  private final ByteBuffer pool;

  private DatabaseProbe(Database database) {
    this.database = database;
    byte[] bytes = new byte[POOL_BYTES + VALUE_BYTES];
    random.nextBytes(bytes);
    this.pool = ByteBuffer.wrap(bytes);
  }

  /** Creates the database. Blocks. */
  static DatabaseProbe open(Path directory) throws IOException {
    return new DatabaseProbe(Database.open(directory, StorageOptions.DEFAULT));
  }

  @Override
  public Map<Limit, Double> measure(Duration time) throws IOException {
    Repetitions batches = Repetitions.run(time, this::writeBatch);
    // Not part of the figure; what is measured next finds no flush in the background.
    database.flush();
    return Map.of(Limit.DATABASE_PUTS, batches.perSecond() * BATCH_PUTS);
  }

  private void writeBatch() throws IOException {
    try (DatabaseBatch batch = database.batch()) {
      for (int i = 0; i < BATCH_PUTS; i++) {
        byte[] key =
            ByteBuffer.allocate(KEY_BYTES).putLong(random.nextInt(KEYS)).putLong(0).array();
        int from = random.nextInt(POOL_BYTES);
        batch.put(Family.DATA, key, pool.clear().position(from).limit(from + VALUE_BYTES));
      }
      database.write(batch);
    }
  }

  @Override
  public void close() {
    database.close();
  }
}

package io.quorate.storage.rocks;

import org.rocksdb.RocksDBException;

/** Compacts tables at a time that a test chooses. */
public final class Compaction {
  private Compaction() {}

  /** Compacts all tables of a family. Blocks. */
  public static void run(Database database, Family family) throws RocksDBException {
    database.rocks().compactRange(database.handle(family));
  }
}

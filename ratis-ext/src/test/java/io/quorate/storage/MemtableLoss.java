package io.quorate.storage;

import org.rocksdb.MutableDBOptions;
import org.rocksdb.RocksDBException;

/** Makes the close of a storage lose what is in memory only, as the end of its process would. */
public final class MemtableLoss {
  private MemtableLoss() {}

  /**
   * RocksDB writes no memtable when it is closed. The last flush of the storage itself must fail at
   * {@code StoragePoints.BEFORE_FLUSH}.
   */
  public static void atClose(Storage storage) {
    try {
      storage
          .database()
          .rocks()
          .setDBOptions(MutableDBOptions.builder().setAvoidFlushDuringShutdown(true).build());
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }
}

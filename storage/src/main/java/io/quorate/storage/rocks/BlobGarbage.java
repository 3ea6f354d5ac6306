package io.quorate.storage.rocks;

import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enables the collection of garbage in the blob files of a column family while there is much of it.
 * While the collection is enabled, each compaction rewrites the values in the oldest files that its
 * keys refer to, whether these files have garbage or not; enabled always, it would rewrite values
 * nearly as often as compactions do without blob files (decision 0045).
 *
 * <p>Files without any live value are deleted without it. Garbage is what compactions have found
 * overwritten or removed; not thread-safe.
 */
final class BlobGarbage {
  /** Fraction of garbage in all blob files from which on it is collected. */
  static final double SHARE_MAX = 0.5;

  /** Fraction of garbage below which no more is collected. */
  static final double SHARE_MIN = 0.25;

  /** Fraction of the blob files, the oldest, whose live values are rewritten. */
  static final double COLLECTED_SHARE = 0.5;

  private static final Logger LOG = LoggerFactory.getLogger(BlobGarbage.class);
  private static final String FILE_BYTES = "rocksdb.live-blob-file-size";
  private static final String GARBAGE_BYTES = "rocksdb.live-blob-file-garbage-size";

  private final RocksDB rocks;
  private final ColumnFamilyHandle family;
  private boolean collected;

  BlobGarbage(RocksDB rocks, ColumnFamilyHandle family) {
    this.rocks = rocks;
    this.family = family;
  }

  /** The fraction of the bytes in blob files that is garbage, 0 without files. Any thread. */
  double share() {
    long bytes = property(FILE_BYTES);
    return bytes == 0 ? 0 : (double) property(GARBAGE_BYTES) / bytes;
  }

  private long property(String name) {
    try {
      return rocks.getLongProperty(family, name);
    } catch (RocksDBException e) {
      throw new IllegalStateException("RocksDB has no property " + name + ".", e);
    }
  }

  /**
   * Enables or disables the collection, if the garbage requires it. Blocks for the writing of a
   * small file then. A failure is logged, and the next call tries again.
   */
  void adjust() {
    try {
      boolean needed = share() >= (collected ? SHARE_MIN : SHARE_MAX);
      if (needed != collected) {
        rocks.setOptions(
            family,
            MutableColumnFamilyOptions.builder().setEnableBlobGarbageCollection(needed).build());
        collected = needed;
      }
    } catch (RocksDBException e) {
      LOG.warn("The collection of garbage in blob files cannot be switched", e);
    }
  }
}

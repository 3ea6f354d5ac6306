package io.quorate.storage.rocks;

import io.quorate.storage.options.StorageOptions;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ChecksumType;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.Filter;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.PrepopulateBlobCache;

/**
 * RocksDB options, tuned for many small processes on one machine rather than one large process.
 * Every object is owned by the given scope.
 */
final class DatabaseSettings {
  private static final int BLOOM_BITS_PER_KEY = 10;
  private static final long BLOCK_BYTES = 8 << 10;
  private static final int DEFAULT_SHARDS = -1;

  /** Fraction of the cache reserved for index and filter blocks, which data blocks do not evict. */
  private static final double INDEX_AND_FILTER_SHARE = 0.5;

  /** Fraction of the memory for caches that values in blob files have. */
  private static final double BLOB_CACHE_SHARE = 0.5;

  /** The library's name of an option without a setter. */
  private static final String BLOB_CACHE = "blob_cache";

  private static final int WRITE_BUFFERS = 3;
  private static final int BACKGROUND_JOBS = 2;
  private static final long INFO_LOG_BYTES = 4 << 20;
  private static final int INFO_LOG_FILES = 2;

  private final NativeScope scope;
  private final StorageOptions options;
  private final CompressionType compression;
  private final Cache cache;
  private final Filter bloom;

  DatabaseSettings(NativeScope scope, StorageOptions options, CompressionType compression) {
    this.scope = scope;
    this.options = options;
    this.compression = compression;
    this.cache =
        scope.own(
            new LRUCache(
                options.blockCacheBytes() - blobCacheBytes(),
                DEFAULT_SHARDS,
                false,
                INDEX_AND_FILTER_SHARE));
    this.bloom = scope.own(new BloomFilter(BLOOM_BITS_PER_KEY, false));
  }

  Cache blockCache() {
    return cache;
  }

  /** Options of the whole database. */
  DBOptions database() {
    return scope
        .own(new DBOptions())
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        // Without a write-ahead log, only atomic flush keeps the column families consistent.
        .setAtomicFlush(true)
        .setParanoidChecks(true)
        .setMaxBackgroundJobs(BACKGROUND_JOBS)
        .setMaxOpenFiles(options.openFiles())
        .setDbWriteBufferSize(2 * options.writeBufferBytes())
        .setBytesPerSync(1 << 20)
        .setKeepLogFileNum(INFO_LOG_FILES)
        .setMaxLogFileSize(INFO_LOG_BYTES)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        // Periodic dumps would wake an idle node.
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0);
  }

  /** Options of a column family whose rows are in tables. */
  ColumnFamilyOptions family() {
    return inTables(scope.own(new ColumnFamilyOptions()));
  }

  /** Options of the column family whose large values are in blob files, if they are to be. */
  ColumnFamilyOptions familyWithBlobs() {
    ColumnFamilyOptions family =
        hasBlobs() ? inTables(withBlobCache()) : inTables(scope.own(new ColumnFamilyOptions()));
    return family
        .setEnableBlobFiles(hasBlobs())
        .setMinBlobSize(options.blobBytesMin())
        .setBlobCompressionType(compression)
        // A flush removes values from memory that are likely to be read.
        .setPrepopulateBlobCache(PrepopulateBlobCache.PREPOPULATE_BLOB_FLUSH_ONLY)
        // Applies to blob files of former settings too, while it is enabled, see BlobGarbage.
        .setBlobGarbageCollectionAgeCutoff(BlobGarbage.COLLECTED_SHARE)
        .setBlobGarbageCollectionForceThreshold(BlobGarbage.SHARE_MIN);
  }

  /** Whether large values are to be stored in blob files, which then have a cache. */
  boolean hasBlobs() {
    return options.blobBytesMin() > 0;
  }

  private long blobCacheBytes() {
    return hasBlobs() ? (long) (options.blockCacheBytes() * BLOB_CACHE_SHARE) : 0;
  }

  /**
   * Options with a cache for values in blob files. By the library's default, half of it is kept for
   * values that were read from it, which those that are flushed or read once do not evict.
   */
  private ColumnFamilyOptions withBlobCache() {
    Properties properties = new Properties();
    properties.setProperty(BLOB_CACHE, Long.toString(blobCacheBytes()));
    ColumnFamilyOptions family = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
    if (family == null) {
      throw new IllegalStateException("RocksDB has no option " + BLOB_CACHE + ".");
    }
    return scope.own(family);
  }

  private ColumnFamilyOptions inTables(ColumnFamilyOptions family) {
    return family
        .setWriteBufferSize(options.writeBufferBytes())
        .setMaxWriteBufferNumber(WRITE_BUFFERS)
        .setCompressionType(compression)
        .setForceConsistencyChecks(true)
        .setLevelCompactionDynamicLevelBytes(true)
        .setTableFormatConfig(table());
  }

  /** Options of table files that are written outside the database and ingested by another one. */
  Options tableFile(NativeScope owner) {
    return owner.own(new Options()).setCompressionType(compression).setTableFormatConfig(table());
  }

  private BlockBasedTableConfig table() {
    return new BlockBasedTableConfig()
        .setBlockCache(cache)
        .setBlockSize(BLOCK_BYTES)
        .setFilterPolicy(bloom)
        .setChecksumType(ChecksumType.kXXH3)
        // Index and filter blocks are part of the cache, so the cache size bounds their memory.
        .setCacheIndexAndFilterBlocks(true)
        .setCacheIndexAndFilterBlocksWithHighPriority(true)
        .setPinL0FilterAndIndexBlocksInCache(true);
  }
}

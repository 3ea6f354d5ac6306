package io.quorate.storage.rocks;

import io.quorate.storage.options.StorageOptions;
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
            new LRUCache(options.blockCacheBytes(), DEFAULT_SHARDS, false, INDEX_AND_FILTER_SHARE));
    this.bloom = scope.own(new BloomFilter(BLOOM_BITS_PER_KEY, false));
  }

  Cache cache() {
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

  /** Options of one column family. */
  ColumnFamilyOptions family() {
    return scope
        .own(new ColumnFamilyOptions())
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

package io.quorate.server.config;

import java.time.Duration;

/**
 * The settings of storage.
 *
 * @param wal the write-ahead log that storage keeps beside the consensus log
 * @param writeBufferBytes memory for rows that are not in files yet
 * @param blockCacheBytes memory for cached blocks and values of files
 * @param blobBytesMin size from which on values are stored in files of their own; 0 if none are
 * @param openFiles maximum number of files of rows kept open
 * @param flushInterval how often applied rows are made durable
 * @param applyThreads threads that apply committed commands
 * @param applyQueueBatches maximum number of committed batches of a region that wait to be applied
 * @param applyQueueBytes maximum bytes of such batches
 * @param overlayChanges maximum number of changes of a region that accelerated reads see before
 *     they are applied
 * @param overlayBytes maximum bytes of such changes
 * @param scan how scans are read when accelerated reads see changes before they are applied
 * @param freeSpaceMinBytes free disk space below which writes are rejected
 * @param bodySweepInterval the time between two searches for bodies of large values to which no row
 *     refers
 * @param bodyRepairInterval the time between two searches for bodies that this node lacks
 * @param bodyScrubInterval the time between two verifications of the bodies that this node has
 * @param bodyRepairBytesPerSecond maximum bytes per second of the values that are verified or
 *     restored
 * @param digestInterval the time between two comparisons of the replicas of a region
 * @param scrubInterval the time between two verifications of the files of rows
 * @param sessionExpiry how long the session of a client is kept after its last request
 */
public record StorageConfig(
    Wal wal,
    long writeBufferBytes,
    long blockCacheBytes,
    long blobBytesMin,
    int openFiles,
    Duration flushInterval,
    int applyThreads,
    int applyQueueBatches,
    long applyQueueBytes,
    int overlayChanges,
    long overlayBytes,
    Scan scan,
    long freeSpaceMinBytes,
    Duration bodySweepInterval,
    Duration bodyRepairInterval,
    Duration bodyScrubInterval,
    long bodyRepairBytesPerSecond,
    Duration digestInterval,
    Duration scrubInterval,
    Duration sessionExpiry) {

  /** The write-ahead log of storage. */
  public enum Wal {
    /** None: the consensus log is the only log. */
    OFF,
    /** Written, and not synced on each write. */
    ON,
    /** Written and synced before a write is applied. */
    SYNCED
  }

  /** How scans are read while changes wait to be applied. */
  public enum Scan {
    /** By a merging cursor over rows and pending changes. */
    MERGE,
    /** By the cheaper of reading past pending removals and waiting until they are applied. */
    COST_MODEL
  }
}

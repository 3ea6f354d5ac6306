package io.quorate.server.config;

import java.time.Duration;

/**
 * The settings of storage.
 *
 * @param files of rows
 * @param apply how committed commands are applied
 * @param overlay the changes of a region that accelerated reads see before they are applied
 * @param bodies of large values
 * @param checks for damage
 * @param freeSpaceMinBytes free disk space below which writes are rejected
 * @param sessionExpiry how long the session of a client is kept after its last request
 */
public record StorageConfig(
    Files files,
    Apply apply,
    Overlay overlay,
    Bodies bodies,
    Checks checks,
    long freeSpaceMinBytes,
    Duration sessionExpiry) {

  /**
   * How rows are kept in memory and in files.
   *
   * @param wal the write-ahead log that storage keeps beside the consensus log
   * @param writeBufferBytes memory for rows that are not in files yet
   * @param blockCacheBytes memory for cached blocks and values of files
   * @param blobBytesMin size from which on values are stored in files of their own; 0 if none are
   * @param openMax maximum number of files of rows kept open
   * @param flushInterval how often applied rows are made durable
   */
  public record Files(
      Wal wal,
      long writeBufferBytes,
      long blockCacheBytes,
      long blobBytesMin,
      int openMax,
      Duration flushInterval) {}

  /**
   * How committed commands are applied.
   *
   * @param threads of all regions together
   * @param queueBatches maximum number of committed batches of a region that wait
   * @param queueBytes maximum bytes of such batches
   */
  public record Apply(int threads, int queueBatches, long queueBytes) {}

  /**
   * The changes of a region that accelerated reads see before they are applied.
   *
   * @param changes maximum number of them
   * @param bytes maximum bytes of them
   * @param scan how scans are read while there are any
   */
  public record Overlay(int changes, long bytes, Scan scan) {}

  /**
   * The bodies of large values.
   *
   * @param sweepInterval the time between two searches for bodies to which no row refers
   * @param repairInterval the time between two searches for bodies that this node lacks
   * @param scrubInterval the time between two verifications of the bodies that this node has
   * @param repairBytesPerSecond maximum bytes per second of the values that are verified or
   *     restored
   */
  public record Bodies(
      Duration sweepInterval,
      Duration repairInterval,
      Duration scrubInterval,
      long repairBytesPerSecond) {}

  /**
   * Searches for damage.
   *
   * @param digestInterval the time between two comparisons of the replicas of a region
   * @param scrubInterval the time between two verifications of the files of rows
   */
  public record Checks(Duration digestInterval, Duration scrubInterval) {}

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

package io.quorate.server.config;

import java.time.Duration;

/**
 * Where rows live.
 *
 * @param wal whether storage keeps a write-ahead log of its own beside the consensus log
 * @param writeBufferBytes memory for rows that are not in files yet
 * @param blockCacheBytes memory for blocks of files
 * @param openFiles most files of rows kept open
 * @param flushInterval how often applied rows are made durable
 * @param applyThreads threads that apply committed commands
 * @param applyQueueBatches most committed batches of a region that wait to be applied
 * @param applyQueueBytes most bytes of such batches
 * @param overlayChanges most changes of a region that accelerated reads see before they are applied
 * @param overlayBytes most bytes of such changes
 * @param scan how scans are read where accelerated reads see changes before they are applied
 * @param freeSpaceMinBytes with less free disk space than this, writes are refused
 * @param sessionExpiry how long a client's requests are remembered after its last one
 */
public record StorageConfig(
    boolean wal,
    long writeBufferBytes,
    long blockCacheBytes,
    int openFiles,
    Duration flushInterval,
    int applyThreads,
    int applyQueueBatches,
    long applyQueueBytes,
    int overlayChanges,
    long overlayBytes,
    Scan scan,
    long freeSpaceMinBytes,
    Duration sessionExpiry) {

  /** How scans are read where changes wait to be applied. */
  public enum Scan {
    /** By a cursor over rows and changes side by side. */
    MERGE,
    /** By the cheaper of reading past pending removals and waiting for them. */
    COST_MODEL
  }
}

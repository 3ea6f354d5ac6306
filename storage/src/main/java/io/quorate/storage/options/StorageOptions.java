package io.quorate.storage.options;

import java.time.Duration;
import java.util.Objects;

/**
 * Use of memory, disk and threads by a {@code Storage}. No option may affect the outcome of a
 * command: nodes may differ in each of these (decision 0021), except in {@code bodies}, which
 * follows from the mode of the cluster.
 *
 * @param wal whether RocksDB writes its own log as well
 * @param writeBufferBytes size at which one column family's memtable is flushed; all memtables
 *     together are flushed at twice this
 * @param blockCacheBytes size of the caches that all column families share, for blocks of tables,
 *     which include index and filter blocks, and for values in blob files
 * @param blobBytesMin size from which on values of {@link Keyspace#DATA} are stored in blob files
 *     rather than in tables, when they are flushed or compacted; 0 if none are. Values that are in
 *     blob files already stay readable
 * @param openFiles maximum number of open table files
 * @param flushInterval maximum time until applied commands become durable
 * @param applyThreads number of threads that apply committed batches, shared by all regions
 * @param applyQueueBatches number of waiting batches of a region at which {@code
 *     RegionStore.committed} applies back-pressure
 * @param applyQueueBytes size of the commands of these batches at which it does so
 * @param replyAtCommit whether commands whose result does not depend on the state are completed
 *     when they are committed, before they are applied
 * @param readAcceleration whether reads see commands that are committed and not yet applied
 * @param overlayChanges number of changes of a region held for such reads at which {@code
 *     RegionStore.committed} applies back-pressure
 * @param overlayBytes size of their commands and of the index over them at which it does so
 * @param scans how scans are read while changes wait to be applied; unused without read
 *     acceleration
 * @param bodies whether values of {@link Keyspace#DATA} may be bodies, which are stored beside the
 *     rows (decision 0029). Equal on all nodes, and the same at each start: the rows have another
 *     format. Excludes {@code replyAtCommit} and {@code readAcceleration}.
 * @param bodySweepInterval time between two searches for bodies to which no row refers; unused
 *     without bodies
 * @param scrubInterval time between the beginnings of two verifications of all files of the
 *     database; one that takes longer is followed by the next at once
 */
public record StorageOptions(
    Wal wal,
    long writeBufferBytes,
    long blockCacheBytes,
    long blobBytesMin,
    int openFiles,
    Duration flushInterval,
    int applyThreads,
    int applyQueueBatches,
    long applyQueueBytes,
    boolean replyAtCommit,
    boolean readAcceleration,
    int overlayChanges,
    long overlayBytes,
    Scans scans,
    boolean bodies,
    Duration bodySweepInterval,
    Duration scrubInterval) {
  /**
   * RocksDB's own log. Durability comes from the consensus log in each case: the durable position
   * follows from flushes.
   */
  public enum Wal {
    /** None. */
    OFF,
    /** Written with each write, and left to the operating system to sync. */
    ON,
    /** Written and synced with each write, before the commands of the write have results. */
    SYNCED
  }

  /** How scans are read while changes wait to be applied; the results are the same. */
  public enum Scans {
    /** With a cursor that merges rows and changes and reads exactly the rows that are needed. */
    MERGE,
    /** By estimated cost: either read past pending removals or wait for them. */
    COST_MODEL
  }

  public static final StorageOptions DEFAULT =
      new StorageOptions(
          Wal.OFF,
          32L << 20,
          64L << 20,
          1L << 10,
          512,
          Duration.ofSeconds(10),
          2,
          1024,
          32L << 20,
          false,
          false,
          1 << 16,
          32L << 20,
          Scans.MERGE,
          false,
          Duration.ofSeconds(30),
          Duration.ofDays(1));

  public StorageOptions {
    Objects.requireNonNull(wal, "wal");
    Objects.requireNonNull(flushInterval, "flushInterval");
    Objects.requireNonNull(scans, "scans");
    Objects.requireNonNull(bodySweepInterval, "bodySweepInterval");
    Objects.requireNonNull(scrubInterval, "scrubInterval");
    requireAtLeast("writeBufferBytes", writeBufferBytes, 64 << 10);
    requireAtLeast("blockCacheBytes", blockCacheBytes, 1 << 20);
    requireAtLeast("blobBytesMin", blobBytesMin, 0);
    requireAtLeast("openFiles", openFiles, 16);
    requireAtLeast("flushInterval in milliseconds", flushInterval.toMillis(), 1);
    requireAtLeast("applyThreads", applyThreads, 1);
    requireAtLeast("applyQueueBatches", applyQueueBatches, 1);
    requireAtLeast("applyQueueBytes", applyQueueBytes, 1);
    requireAtLeast("overlayChanges", overlayChanges, 1);
    requireAtLeast("overlayBytes", overlayBytes, 1);
    requireAtLeast("bodySweepInterval in milliseconds", bodySweepInterval.toMillis(), 1);
    requireAtLeast("scrubInterval in milliseconds", scrubInterval.toMillis(), 1);
    if (bodies && (replyAtCommit || readAcceleration)) {
      throw new IllegalArgumentException(
          "Storage option bodies excludes replyAtCommit and readAcceleration: changes that are not"
              + " applied yet have no bodies. Switch these off.");
    }
  }

  private static void requireAtLeast(String name, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(
          "Storage option " + name + " is at least " + min + ", not " + value + ".");
    }
  }

  /** A builder with these options as its initial values. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Builds changed options. Not thread-safe. */
  public static final class Builder {
    private Wal wal;
    private long writeBufferBytes;
    private long blockCacheBytes;
    private long blobBytesMin;
    private int openFiles;
    private Duration flushInterval;
    private int applyThreads;
    private int applyQueueBatches;
    private long applyQueueBytes;
    private boolean replyAtCommit;
    private boolean readAcceleration;
    private int overlayChanges;
    private long overlayBytes;
    private Scans scans;
    private boolean bodies;
    private Duration bodySweepInterval;
    private Duration scrubInterval;

    private Builder(StorageOptions from) {
      wal = from.wal;
      writeBufferBytes = from.writeBufferBytes;
      blockCacheBytes = from.blockCacheBytes;
      blobBytesMin = from.blobBytesMin;
      openFiles = from.openFiles;
      flushInterval = from.flushInterval;
      applyThreads = from.applyThreads;
      applyQueueBatches = from.applyQueueBatches;
      applyQueueBytes = from.applyQueueBytes;
      replyAtCommit = from.replyAtCommit;
      readAcceleration = from.readAcceleration;
      overlayChanges = from.overlayChanges;
      overlayBytes = from.overlayBytes;
      scans = from.scans;
      bodies = from.bodies;
      bodySweepInterval = from.bodySweepInterval;
      scrubInterval = from.scrubInterval;
    }

    public Builder wal(Wal log) {
      wal = log;
      return this;
    }

    public Builder writeBufferBytes(long bytes) {
      writeBufferBytes = bytes;
      return this;
    }

    public Builder blockCacheBytes(long bytes) {
      blockCacheBytes = bytes;
      return this;
    }

    public Builder blobBytesMin(long bytes) {
      blobBytesMin = bytes;
      return this;
    }

    public Builder openFiles(int count) {
      openFiles = count;
      return this;
    }

    public Builder flushInterval(Duration interval) {
      flushInterval = interval;
      return this;
    }

    public Builder applyThreads(int count) {
      applyThreads = count;
      return this;
    }

    public Builder applyQueueBatches(int count) {
      applyQueueBatches = count;
      return this;
    }

    public Builder applyQueueBytes(long bytes) {
      applyQueueBytes = bytes;
      return this;
    }

    public Builder replyAtCommit(boolean on) {
      replyAtCommit = on;
      return this;
    }

    public Builder readAcceleration(boolean on) {
      readAcceleration = on;
      return this;
    }

    public Builder overlayChanges(int count) {
      overlayChanges = count;
      return this;
    }

    public Builder overlayBytes(long bytes) {
      overlayBytes = bytes;
      return this;
    }

    public Builder scans(Scans way) {
      scans = way;
      return this;
    }

    public Builder bodies(boolean on) {
      bodies = on;
      return this;
    }

    public Builder bodySweepInterval(Duration interval) {
      bodySweepInterval = interval;
      return this;
    }

    public Builder scrubInterval(Duration interval) {
      scrubInterval = interval;
      return this;
    }

    /**
     * @throws IllegalArgumentException if an option is out of bounds
     */
    public StorageOptions build() {
      return new StorageOptions(
          wal,
          writeBufferBytes,
          blockCacheBytes,
          blobBytesMin,
          openFiles,
          flushInterval,
          applyThreads,
          applyQueueBatches,
          applyQueueBytes,
          replyAtCommit,
          readAcceleration,
          overlayChanges,
          overlayBytes,
          scans,
          bodies,
          bodySweepInterval,
          scrubInterval);
    }
  }
}

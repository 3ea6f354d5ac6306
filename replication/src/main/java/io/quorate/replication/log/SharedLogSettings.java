package io.quorate.replication.log;

import io.quorate.consensus.EngineSettings;
import java.time.Duration;
import java.util.Locale;

/**
 * Bounds on the memory and disk use of the log of a node.
 *
 * @param segmentBytes length of a file from which the next one is begun. A file exceeds it by at
 *     most one record, or by the bases of all groups.
 * @param writeBytes the memory from which records are written; longer records are written in parts
 * @param lazySync maximum time until a record that was appended lazily, and flushed, is durable
 * @param queueRecords maximum number of records that are not durable, of all groups
 * @param queueBytes the same in bytes of payloads
 * @param memoryBytes maximum bytes of payloads in memory, with an estimate for their decoded forms:
 *     those that are not durable, and the most recent of the others
 * @param logBytesMax length of all files together from which groups that have more live bytes than
 *     their share have no room
 * @param rewriteBytesPerSecond maximum rate at which live records are rewritten
 */
public record SharedLogSettings(
    int segmentBytes,
    int writeBytes,
    Duration lazySync,
    int queueRecords,
    long queueBytes,
    long memoryBytes,
    long logBytesMax,
    long rewriteBytesPerSecond) {
  private static final int MIB = 1 << 20;

  public static final SharedLogSettings DEFAULT =
      new SharedLogSettings(
          32 * MIB,
          MIB,
          Duration.ofMillis(100),
          1 << 18,
          64L * MIB,
          96L * MIB,
          8192L * MIB,
          16L * MIB);

  /** The maximum of {@code segmentBytes}. */
  public static final int SEGMENT_BYTES_MAX = 512 * MIB;

  /** The maximum length of a payload. */
  public static final int RECORD_BYTES_MAX = 256 * MIB;

  /** The maximum length of a state: all of them are written at the beginning of each segment. */
  public static final int STATE_BYTES_MAX = 16 << 10;

  /** The default of {@code segment-size}. */
  private static final int SEGMENT_BYTES = 16 * MIB;

  private static final int SEGMENT_BYTES_MIN = 64 << 10;

  private static final int HEAP_PARTS = 5;
  private static final long SHARE_BYTES_MIN = 4L * MIB;

  /**
   * The settings of the log of an engine, which may configure {@code segment-size}. In a small heap
   * records have a fifth of it at most.
   *
   * @param memoryBytes at most these, or what the queue may have
   * @param retainedBytes of one group; the log may have twice as much
   */
  public static SharedLogSettings from(
      EngineSettings settings, long memoryBytes, long retainedBytes) {
    return from(settings, memoryBytes, retainedBytes, Runtime.getRuntime().maxMemory());
  }

  static SharedLogSettings from(
      EngineSettings settings, long memoryBytes, long retainedBytes, long heapBytes) {
    long share = Math.max(SHARE_BYTES_MIN, heapBytes / HEAP_PARTS);
    long queueBytes = Math.min(DEFAULT.queueBytes, share);
    return new SharedLogSettings(
        (int) settings.bytes("segment-size", SEGMENT_BYTES, SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX),
        DEFAULT.writeBytes,
        DEFAULT.lazySync,
        DEFAULT.queueRecords,
        queueBytes,
        Math.max(queueBytes, Math.min(memoryBytes, share)),
        Math.max(DEFAULT.logBytesMax, 2 * retainedBytes),
        DEFAULT.rewriteBytesPerSecond);
  }

  public SharedLogSettings {
    require(segmentBytes >= 1024 && segmentBytes <= SEGMENT_BYTES_MAX, "segmentBytes");
    require(writeBytes >= 4096, "writeBytes");
    require(!lazySync.isNegative(), "lazySync");
    require(queueRecords >= 2 && queueBytes >= 2, "the bounds of the queue");
    require(memoryBytes >= queueBytes, "memoryBytes");
    require(logBytesMax >= 4L * segmentBytes, "logBytesMax");
    require(rewriteBytesPerSecond >= 1, "rewriteBytesPerSecond");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "A setting of the log is out of range: %s", what));
    }
  }
}

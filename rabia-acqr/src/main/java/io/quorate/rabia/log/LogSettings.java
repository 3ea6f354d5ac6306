package io.quorate.rabia.log;

import java.time.Duration;
import java.util.Locale;

/**
 * Bounds on the disk and memory use of a log.
 *
 * @param segmentBytes length of a file from which the next one is begun. A file exceeds it by at
 *     most one group.
 * @param groupBytes maximum bytes of one write; one record may exceed it
 * @param lazySync maximum time until a record that was appended lazily is durable
 * @param queueRecords maximum number of records that wait to be written: from half of it on {@link
 *     ReplicaLog#hasRoom} is false, beyond it the log fails
 * @param queueBytes the same in bytes: batch bodies and a constant for each record
 */
public record LogSettings(
    int segmentBytes, int groupBytes, Duration lazySync, int queueRecords, long queueBytes) {
  public static final LogSettings DEFAULT =
      new LogSettings(16 << 20, 4 << 20, Duration.ofMillis(100), 1 << 18, 512L << 20);

  /** The maximum of {@code segmentBytes}. */
  public static final int SEGMENT_BYTES_MAX = 256 << 20;

  public LogSettings {
    if (segmentBytes < SegmentHeader.BYTES || segmentBytes > SEGMENT_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "A segment has %d to %d bytes: %d",
              SegmentHeader.BYTES,
              SEGMENT_BYTES_MAX,
              segmentBytes));
    }
    if (groupBytes < 1 || groupBytes > segmentBytes) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "Groups have 1 to %d bytes, the length of a segment: %d",
              segmentBytes,
              groupBytes));
    }
    if (lazySync.isNegative()) {
      throw new IllegalArgumentException("The time to a lazy fsync is not negative: " + lazySync);
    }
    if (queueRecords < 2 || queueBytes < 2) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "The queue holds at least two records and bytes: %d, %d",
              queueRecords,
              queueBytes));
    }
  }
}

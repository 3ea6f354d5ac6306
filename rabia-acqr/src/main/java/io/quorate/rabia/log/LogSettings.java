package io.quorate.rabia.log;

import java.time.Duration;

/**
 * How a log uses its disk and memory.
 *
 * @param segmentBytes how long a file is at least before the next one is begun. It is longer by at
 *     most one group.
 * @param allocationBytes in which steps a file is filled with zeros ahead of the records, so that
 *     most fsyncs need not change its length
 * @param groupBytes how much is written at a time; one record may exceed it
 * @param lazySync after which time what is not urgent is made durable at the latest
 * @param queueRecords records that wait to be written at most: from half of it on {@link
 *     ReplicaLog#hasRoom} is false, beyond it the log fails
 * @param queueBytes the same in bytes, counting bodies and a little for each record
 */
public record LogSettings(
    int segmentBytes,
    int allocationBytes,
    int groupBytes,
    Duration lazySync,
    int queueRecords,
    long queueBytes) {
  public static final LogSettings DEFAULT =
      new LogSettings(16 << 20, 1 << 20, 4 << 20, Duration.ofMillis(100), 1 << 18, 512L << 20);

  /** The longest segment. */
  public static final int SEGMENT_BYTES_MOST = 256 << 20;

  public LogSettings {
    if (segmentBytes < SegmentHeader.BYTES || segmentBytes > SEGMENT_BYTES_MOST) {
      throw new IllegalArgumentException(
          "A segment has %d to %d bytes: %d"
              .formatted(SegmentHeader.BYTES, SEGMENT_BYTES_MOST, segmentBytes));
    }
    if (allocationBytes < 1 || allocationBytes > segmentBytes) {
      throw new IllegalArgumentException(
          "A file is filled in steps of 1 to %d bytes, its own length: %d"
              .formatted(segmentBytes, allocationBytes));
    }
    if (groupBytes < 1 || groupBytes > segmentBytes) {
      throw new IllegalArgumentException(
          "Groups have 1 to %d bytes, the length of a segment: %d"
              .formatted(segmentBytes, groupBytes));
    }
    if (lazySync.isNegative()) {
      throw new IllegalArgumentException("A time is not negative: " + lazySync);
    }
    if (queueRecords < 2 || queueBytes < 2) {
      throw new IllegalArgumentException(
          "The queue holds at least two records and bytes: %d, %d"
              .formatted(queueRecords, queueBytes));
    }
  }
}

package io.quorate.replication.log;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/** Counters of the log since it was opened, and its present sizes. Any thread. */
public final class SharedLogCounters {
  private final LongAdder records = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder syncs = new LongAdder();
  private final LongAdder syncNanos = new LongAdder();
  private final LongAdder rewrittenRecords = new LongAdder();
  private final LongAdder rewrittenBytes = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder diskReads = new LongAdder();
  private final LongAdder deletedSegments = new LongAdder();
  private final AtomicLong bytesOnDisk = new AtomicLong();
  private final AtomicLong liveBytes = new AtomicLong();
  private final AtomicInteger segments = new AtomicInteger();
  private final AtomicInteger queuedRecords = new AtomicInteger();
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicLong memoryBytes = new AtomicLong();
  private volatile LongConsumer syncTimer = nanos -> {};

  SharedLogCounters() {}

  /** Records made durable, also those of the log itself. */
  public long records() {
    return records.sum();
  }

  /** Bytes of these records. */
  public long bytes() {
    return bytes.sum();
  }

  /** Fsyncs that made records durable. */
  public long syncs() {
    return syncs.sum();
  }

  /** The total time of these fsyncs, in nanoseconds. */
  public long syncNanos() {
    return syncNanos.sum();
  }

  /** Records that were written again so that an old segment could be deleted. */
  public long rewrittenRecords() {
    return rewrittenRecords.sum();
  }

  /** Bytes of these records. */
  public long rewrittenBytes() {
    return rewrittenBytes.sum();
  }

  /** How often a group had no room, because a bound was reached. */
  public long refusals() {
    return refused.sum();
  }

  /** Records that were read from files since they were not in memory. */
  public long diskReads() {
    return diskReads.sum();
  }

  /** Segments deleted. */
  public long deletedSegments() {
    return deletedSegments.sum();
  }

  /** Segments that exist. */
  public int segments() {
    return segments.get();
  }

  /** The total length of all segments, in bytes. */
  public long bytesOnDisk() {
    return bytesOnDisk.get();
  }

  /** Bytes of the entries and events that are live. */
  public long liveBytes() {
    return liveBytes.get();
  }

  /** Records that are not durable. */
  public int queuedRecords() {
    return queuedRecords.get();
  }

  /** Bytes of their payloads. */
  public long queuedBytes() {
    return queuedBytes.get();
  }

  /** Bytes of payloads in memory, those that are not durable among them. */
  public long memoryBytes() {
    return memoryBytes.get();
  }

  void timeSyncs(LongConsumer timer) {
    syncTimer = timer;
  }

  void queued(int addedRecords, long addedBytes) {
    queuedRecords.addAndGet(addedRecords);
    queuedBytes.addAndGet(addedBytes);
  }

  void inMemory(long addedBytes) {
    memoryBytes.addAndGet(addedBytes);
  }

  void written(int recordBytes) {
    records.increment();
    bytes.add(recordBytes);
  }

  void synced(long nanos) {
    syncs.increment();
    syncNanos.add(nanos);
    syncTimer.accept(nanos);
  }

  void rewritten(int recordBytes) {
    rewrittenRecords.increment();
    rewrittenBytes.add(recordBytes);
  }

  void refused() {
    refused.increment();
  }

  void readFromDisk() {
    diskReads.increment();
  }

  void onDisk(int addedSegments, long addedBytes) {
    segments.addAndGet(addedSegments);
    bytesOnDisk.addAndGet(addedBytes);
    if (addedSegments < 0) {
      deletedSegments.add(-addedSegments);
    }
  }

  void live(long addedBytes) {
    liveBytes.addAndGet(addedBytes);
  }
}

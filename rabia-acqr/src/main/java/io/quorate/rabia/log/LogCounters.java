package io.quorate.rabia.log;

import java.util.concurrent.atomic.AtomicLong;

/** Counters of a log since it was opened, and its present size. Any thread. */
public final class LogCounters {
  private final AtomicLong records = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong syncs = new AtomicLong();
  private final AtomicLong syncedRecords = new AtomicLong();
  private final AtomicLong syncNanos = new AtomicLong();
  private final AtomicLong bytesOnDisk = new AtomicLong();
  private final AtomicLong queuedRecords = new AtomicLong();
  private final AtomicLong queuedBytes = new AtomicLong();

  LogCounters() {}

  /** Records written. */
  public long records() {
    return records.get();
  }

  /** Bytes of records written. */
  public long bytes() {
    return bytes.get();
  }

  /** Fsyncs that made records durable. */
  public long syncs() {
    return syncs.get();
  }

  /** The total time of these fsyncs, in nanoseconds. */
  public long syncNanos() {
    return syncNanos.get();
  }

  /** The average number of records per fsync; 0 before the first fsync. */
  public double recordsPerSync() {
    long done = syncs.get();
    return done == 0 ? 0 : (double) syncedRecords.get() / done;
  }

  /** The total length of all files, in bytes. */
  public long bytesOnDisk() {
    return bytesOnDisk.get();
  }

  /** Records that wait to be written. */
  public long queuedRecords() {
    return queuedRecords.get();
  }

  /** The estimated memory of these records, in bytes. */
  public long queuedBytes() {
    return queuedBytes.get();
  }

  void queued(long addedRecords, long addedBytes) {
    queuedRecords.addAndGet(addedRecords);
    queuedBytes.addAndGet(addedBytes);
  }

  void written(long addedRecords, long addedBytes) {
    records.addAndGet(addedRecords);
    bytes.addAndGet(addedBytes);
  }

  void synced(long addedRecords, long nanos) {
    syncs.incrementAndGet();
    syncedRecords.addAndGet(addedRecords);
    syncNanos.addAndGet(nanos);
  }

  void onDisk(long addedBytes) {
    bytesOnDisk.addAndGet(addedBytes);
  }
}

package io.quorate.replication.log;

/**
 * The durable records whose bytes are in memory, the oldest first. One thread at a time: that which
 * opens the log, and then the log's thread.
 */
final class RecentRecords {
  private final SharedLogCounters counters;
  private final long bytesMax;
  private QueuedRecord oldest;
  private QueuedRecord newest;

  RecentRecords(SharedLogCounters counters, long bytesMax) {
    this.counters = counters;
    this.bytesMax = bytesMax;
  }

  /** Adds a record that is in no other list. */
  void add(QueuedRecord record) {
    record.next = null;
    if (newest == null) {
      oldest = record;
    } else {
      newest.next = record;
    }
    newest = record;
  }

  /** Drops the oldest records until the bound on bytes in memory holds, as far as they are here. */
  void evict() {
    while (oldest != null && counters.memoryBytes() > bytesMax) {
      QueuedRecord record = oldest;
      oldest = record.next;
      if (oldest == null) {
        newest = null;
      }
      record.next = null;
      if (record.group != null) {
        record.group.records().evict(record);
      } else if (record.bytes != null) {
        record.bytes = null;
        counters.inMemory(-record.length());
      }
    }
  }
}

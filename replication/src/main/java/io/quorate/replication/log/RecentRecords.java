package io.quorate.replication.log;

/**
 * The durable records whose bytes are in memory, the oldest first. One thread at a time: that which
 * opens the log, and then the log's thread.
 */
final class RecentRecords {
  private static final int SWEPT_MIN = 1024;

  private final SharedLogCounters counters;
  private final long bytesMax;
  private QueuedRecord oldest;
  private QueuedRecord newest;
  private int size;

  /** How many were live when dead ones were dropped last. */
  private int live;

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
    size++;
  }

  /**
   * Drops the oldest records until the bound on bytes in memory holds, as far as they are here; and
   * those that have died, when they may be half of all.
   */
  void evict() {
    while (oldest != null && counters.memoryBytes() > bytesMax) {
      QueuedRecord record = oldest;
      oldest = record.next;
      if (oldest == null) {
        newest = null;
      }
      record.next = null;
      size--;
      if (record.group != null) {
        record.group.records().evict(record);
      } else if (record.bytes != null) {
        record.bytes = null;
        counters.inMemory(-record.memoryBytes());
      }
    }
    if (size > 2 * live + SWEPT_MIN) {
      sweep();
    }
  }

  /** A record that died has no bytes; who sees them a little later is swept the next time. */
  private void sweep() {
    QueuedRecord next = oldest;
    oldest = null;
    newest = null;
    size = 0;
    while (next != null) {
      QueuedRecord record = next;
      next = record.next;
      record.next = null;
      if (record.bytes != null) {
        add(record);
      }
    }
    live = size;
  }

  /** How many records are here, dead ones too. */
  int size() {
    return size;
  }
}

package io.quorate.replication.log;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.log.segment.ReadableSegment;
import io.quorate.replication.log.segment.RecordType;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * The live entries and events of a group: where they are, in memory or in a file, and how much they
 * take. Thread-safe; reads of files block. Who removes records has queued the record that says so
 * before: segments whose records are dead are deleted after what was queued by then is durable.
 */
final class GroupRecords {
  private final GroupId id;
  private final int generation;
  private final RecordIndex index;
  private final LogContext context;
  private long liveBytes;
  private int queuedRecords;
  private long queuedBytes;

  /**
   * @param index what was found when the log was opened
   * @param group to which the records in memory belong
   */
  GroupRecords(GroupLog group, RecordIndex index, LogContext context) {
    this.id = group.id();
    this.generation = group.generation();
    this.index = index;
    this.context = context;
    for (int slot = 0; slot < index.size(); slot++) {
      liveBytes += originalBytes(slot);
      context.segments().born(index.segment(slot), recordBytes(slot));
      if (index.inMemory(slot) != null) {
        index.inMemory(slot).group = group;
      }
    }
  }

  // Adding and removing

  /** A record is about to be queued. */
  synchronized void queued(QueuedRecord record) {
    queuedRecords++;
    queuedBytes += record.length();
    if (RecordType.isIndexed(record.type)) {
      index.add(record.order, record.epoch, record.index, record.type, record.length(), record);
      liveBytes += record.recordBytes();
    }
  }

  /**
   * A record of the group is durable.
   *
   * @return whether its bytes stay in memory
   */
  synchronized boolean durable(QueuedRecord record) {
    record.isDurable = true;
    queuedRecords--;
    queuedBytes -= record.length();
    int slot =
        RecordType.isIndexed(RecordType.original(record.type))
            ? index.slotOfOrder(record.order)
            : -1;
    if (slot < 0) {
      free(record);
      return false;
    }
    if (index.segment(slot) != RecordIndex.NO_SEGMENT) {
      context.segments().died(index.segment(slot), recordBytes(slot));
    }
    index.place(slot, record.segment, record.offset, record.type);
    context.segments().born(record.segment, recordBytes(slot));
    if (index.inMemory(slot) == record) {
      return true;
    }
    free(record);
    return false;
  }

  /** Drops the bytes of a durable record from memory. */
  synchronized void evict(QueuedRecord record) {
    int slot = index.slotOfOrder(record.order);
    if (slot >= 0 && index.inMemory(slot) == record) {
      index.forget(slot);
    }
    free(record);
  }

  /** Removes the entries from an index on, which exists. */
  synchronized void truncate(long from) {
    int first = index.slotOfEntry(from);
    for (int slot = first; slot < index.size(); slot++) {
      die(slot);
    }
    index.removeFrom(first);
    context.purger().wake();
  }

  /** Removes what is below an index. */
  synchronized void release(long mark) {
    for (int slot = 0; slot < index.size(); slot++) {
      if (index.index(slot) < mark) {
        die(slot);
      }
    }
    index.removeBelow(mark);
    context.purger().wake();
  }

  synchronized void clear() {
    for (int slot = 0; slot < index.size(); slot++) {
      die(slot);
    }
    index.removeFrom(0);
    context.purger().wake();
  }

  /** Counts a row that is about to be removed. */
  private void die(int slot) {
    liveBytes -= originalBytes(slot);
    if (index.segment(slot) != RecordIndex.NO_SEGMENT) {
      context.segments().died(index.segment(slot), recordBytes(slot));
    }
    QueuedRecord record = index.inMemory(slot);
    if (record != null && record.isDurable) {
      free(record);
    }
  }

  private int originalBytes(int slot) {
    return QueuedRecord.recordBytes(RecordType.original(index.type(slot)), index.length(slot));
  }

  private int recordBytes(int slot) {
    return QueuedRecord.recordBytes(index.type(slot), index.length(slot));
  }

  private void free(QueuedRecord record) {
    if (record.bytes != null) {
      record.bytes = null;
      record.form = null;
      context.counters().inMemory(-record.memoryBytes());
    }
  }

  // Sizes

  synchronized long liveBytes() {
    return liveBytes;
  }

  synchronized int queuedRecords() {
    return queuedRecords;
  }

  synchronized long queuedBytes() {
    return queuedBytes;
  }

  // Looking up

  synchronized Optional<Position> position(long entry) {
    int slot = index.slotOfEntry(entry);
    return slot < 0 ? Optional.empty() : Optional.of(new Position(index.epoch(slot), entry));
  }

  synchronized int length(long entry) {
    int slot = index.slotOfEntry(entry);
    return slot < 0 ? 0 : index.length(slot);
  }

  synchronized Optional<Object> form(long entry) {
    int slot = index.slotOfEntry(entry);
    QueuedRecord record = slot < 0 ? null : index.inMemory(slot);
    return record == null ? Optional.empty() : Optional.ofNullable(record.form);
  }

  /** The index of the last entry that has an order up to this one; empty if none has. */
  synchronized Optional<Long> lastEntryUpTo(long order) {
    int slot = index.lastSlotUpTo(order);
    return slot < 0 ? Optional.empty() : Optional.of(index.index(slot));
  }

  /** The orders of the records from an index to another, without the latter. */
  synchronized long[] orders(long from, long to) {
    return orders(slot -> index.index(slot) >= from && index.index(slot) < to);
  }

  /** The orders of the records in a segment. */
  synchronized long[] ordersIn(int segment) {
    return orders(slot -> index.segment(slot) == segment);
  }

  /** The orders of the records of a type, rewritten ones too. */
  synchronized long[] ordersOf(int type) {
    return orders(slot -> RecordType.original(index.type(slot)) == type);
  }

  /** Counts first: a few of very many records are wanted. */
  private long[] orders(IntPredicate wanted) {
    int count = 0;
    for (int slot = 0; slot < index.size(); slot++) {
      count += wanted.test(slot) ? 1 : 0;
    }
    long[] orders = new long[count];
    for (int slot = 0, found = 0; found < count; slot++) {
      if (wanted.test(slot)) {
        orders[found++] = index.order(slot);
      }
    }
    return orders;
  }

  /**
   * A record, and its place if it is not in memory.
   *
   * @param type as it is in the file
   * @param length of the bytes of the engine
   * @param bytes null if they are not in memory
   */
  record Found(
      long order, Position at, int type, int length, int segment, int offset, byte[] bytes) {
    int kind() {
      return RecordType.kind(RecordType.original(type));
    }
  }

  /** The record of an order; empty if it is dead. */
  synchronized Optional<Found> find(long order) {
    int slot = index.slotOfOrder(order);
    return slot < 0 ? Optional.empty() : Optional.of(found(slot));
  }

  synchronized Optional<Found> findEntry(long entry) {
    int slot = index.slotOfEntry(entry);
    return slot < 0 ? Optional.empty() : Optional.of(found(slot));
  }

  private Found found(int slot) {
    QueuedRecord record = index.inMemory(slot);
    return new Found(
        index.order(slot),
        new Position(index.epoch(slot), index.index(slot)),
        index.type(slot),
        index.length(slot),
        index.segment(slot),
        index.offset(slot),
        record == null ? null : record.bytes);
  }

  // Reading

  /** The bytes of a record that was found; empty if it has died since. */
  Optional<byte[]> read(Found first) throws IOException {
    Optional<Found> found = Optional.of(first);
    while (found.isPresent()) {
      if (found.get().bytes() != null) {
        return Optional.of(found.get().bytes());
      }
      Optional<byte[]> read = readFile(found.get());
      if (read.isPresent()) {
        return read;
      }
      // It was rewritten meanwhile, and its segment deleted.
      context.writer().requireOpen();
      found = find(first.order());
    }
    return Optional.empty();
  }

  private Optional<byte[]> readFile(Found place) throws IOException {
    Optional<LiveSegments.Segment> segment = context.segments().get(place.segment());
    if (segment.isEmpty()) {
      return Optional.empty();
    }
    context.counters().readFromDisk();
    int length = QueuedRecord.payloadBytes(place.type(), place.length());
    Optional<ReadableSegment.Read> read = segment.get().file.read(place.offset(), length);
    if (read.isPresent()
        && (read.get().head().group() != id.value()
            || read.get().head().generation() != generation)) {
      throw new DamagedRecordException(
          segment.get().file.file(), place.offset(), "it has a record of another group");
    }
    return read.map(each -> withoutOrder(place.type(), each.payload()));
  }

  /** The bytes of the engine in a payload. */
  static byte[] withoutOrder(int type, byte[] payload) {
    return RecordType.isRewritten(type)
        ? Arrays.copyOfRange(payload, Long.BYTES, payload.length)
        : payload;
  }
}

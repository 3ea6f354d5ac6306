package io.quorate.replication.log;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.log.segment.ReadableSegment;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The records of one group in the log of a node. Thread-safe. Appended records count at once for
 * the methods that read, and become durable in the order of the calls. Their numbers, which the
 * methods return, are 1 and so on from the creation of the group, over all starts.
 *
 * <p>Nothing blocks, except for reads of what is not in memory. Byte arrays are the log's from the
 * call on, and those that it returns are shared: nobody may change them.
 *
 * <p>A group has entries or events, besides states.
 */
public final class GroupLog {
  /** An event that was read. */
  @FunctionalInterface
  public interface EventVisitor {
    /**
     * @param kind as it was appended
     */
    void event(int kind, Position at, byte[] bytes);
  }

  private final GroupId id;
  private final GroupBase base;
  private final LogContext context;
  private final RecordIndex index;
  private final GroupReports reports = new GroupReports();
  private final long recovered;
  private byte[][] states;
  private long sequence;
  private long lowWater;
  private long last;
  private long highest;
  private long liveBytes;
  private int queuedRecords;
  private long queuedBytes;

  /** Why nothing is appended any more; null if it is. */
  private IOException ended;

  GroupLog(GroupId id, GroupBase base, RecordIndex index, LogContext context) {
    this.id = id;
    this.base = base;
    this.index = index;
    this.context = context;
    this.recovered = base.sequence();
    this.sequence = recovered;
    this.lowWater = base.lowWater();
    this.last = base.last();
    this.highest = base.highest();
    this.states = base.states().clone();
    reports.durable(sequence);
    for (int slot = 0; slot < index.size(); slot++) {
      liveBytes += originalBytes(slot);
      context.segments().born(index.segment(slot), recordBytes(slot));
      if (index.inMemory(slot) != null) {
        index.inMemory(slot).group = this;
      }
    }
  }

  public GroupId id() {
    return id;
  }

  /** Of this group among those that had its id one after another. */
  public int generation() {
    return base.generation;
  }

  GroupBase base() {
    return base;
  }

  GroupReports reports() {
    return reports;
  }

  // Appending

  /**
   * Appends an entry. Needs {@link #flush}.
   *
   * @param at the index follows that of the last entry
   * @throws BusyGroupException if there is no room; nothing was appended
   * @throws IOException if the group or the log has failed; nothing was appended
   */
  public synchronized long appendEntry(Position at, byte[] bytes) throws IOException {
    if (at.index() != last + 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "Entry %s of group %s does not follow entry %d", at, id, last));
    }
    admit(bytes);
    last = at.index();
    return append(RecordType.ENTRY, at.epoch(), at.index(), bytes, false);
  }

  /**
   * Appends an event. Needs {@link #flush}.
   *
   * @param kind 0 to 63; what it means is up to the engine
   * @param at the index is not below the low-water mark
   * @param isLazy whether the record may become durable later, after {@link
   *     SharedLogSettings#lazySync} at most
   * @throws IOException as {@link #appendEntry}
   */
  public synchronized long appendEvent(int kind, Position at, byte[] bytes, boolean isLazy)
      throws IOException {
    int type = RecordType.event(kind);
    if (at.index() < lowWater) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "Event %s is below the low-water mark %d", at, lowWater));
    }
    admit(bytes);
    return append(type, at.epoch(), at.index(), bytes, isLazy);
  }

  /**
   * Sets a state: a small value of which the latest counts, such as a vote. Never refused for lack
   * of room. Needs {@link #flush}.
   *
   * @param key 0 to 15; what it means is up to the engine
   * @throws IOException if the group or the log has failed; nothing was appended
   */
  public synchronized long putState(int key, byte[] bytes) throws IOException {
    int type = RecordType.state(key);
    if (bytes.length > SharedLogSettings.STATE_BYTES_MAX) {
      throw new IllegalArgumentException("A state has too many bytes: " + bytes.length);
    }
    requireRunning();
    if (states.length <= key) {
      states = Arrays.copyOf(states, key + 1);
    }
    states[key] = bytes;
    return append(type, 0, 0, bytes, false);
  }

  /**
   * Removes the entries from an index on. Needs {@link #flush}. Never refused for lack of room.
   *
   * @param from not below the low-water mark
   */
  public synchronized long truncate(long from) throws IOException {
    if (from < lowWater) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "Entry %d is below the low-water mark %d", from, lowWater));
    }
    requireRunning();
    if (from > last) {
      return sequence;
    }
    long number = append(RecordType.TRUNCATED, 0, from, new byte[0], false);
    int first = index.slotOfEntry(from);
    for (int slot = first; slot < index.size(); slot++) {
      die(slot);
    }
    index.removeFrom(first);
    last = from - 1;
    context.purger().wake();
    return number;
  }

  /**
   * Raises the low-water mark: entries and events below it are not needed any more. If it is beyond
   * the last entry, the next entry has its index. Lazy; never refused for lack of room. Needs {@link
   * #flush}.
   *
   * @param mark has no effect if it is not above the present one
   */
  public synchronized long release(long mark) throws IOException {
    requireRunning();
    if (mark <= lowWater) {
      return sequence;
    }
    long number = append(RecordType.LOW_WATER, 0, mark, new byte[0], true);
    for (int slot = 0; slot < index.size(); slot++) {
      if (index.index(slot) < mark) {
        die(slot);
      }
    }
    index.removeBelow(mark);
    lowWater = mark;
    last = Math.max(last, mark - 1);
    context.purger().wake();
    return number;
  }

  /** Wakes the log's thread if it waits; one call after several records is enough. */
  public void flush() {
    context.writer().wake();
  }

  private void requireRunning() throws IOException {
    if (ended != null) {
      throw ended;
    }
    context.writer().requireRunning();
  }

  /** Whether the group may append, and as much again: a step of a few records is not refused. */
  public synchronized boolean hasRoom() {
    SharedLogCounters counters = context.counters();
    long freeBytes = context.settings().queueBytes() - counters.queuedBytes();
    int freeRecords = context.settings().queueRecords() - counters.queuedRecords();
    return queuedBytes <= freeBytes / 2 && queuedRecords <= freeRecords / 2 && !isLogFull();
  }

  /**
   * A group may have as much in the queue as is free for all, so that others always find room. One
   * that has nothing there may append what fits, or a record of any length to an empty queue.
   */
  private void admit(byte[] bytes) throws IOException {
    requireRunning();
    if (bytes.length > SharedLogSettings.RECORD_BYTES_MAX) {
      throw new IllegalArgumentException("A record has too many bytes: " + bytes.length);
    }
    SharedLogCounters counters = context.counters();
    long freeBytes = context.settings().queueBytes() - counters.queuedBytes();
    int freeRecords = context.settings().queueRecords() - counters.queuedRecords();
    boolean fits =
        counters.queuedRecords() == 0
            || bytes.length <= freeBytes - queuedBytes && 1 <= freeRecords - queuedRecords;
    if (fits && !isLogFull()) {
      return;
    }
    counters.refused();
    context.writer().refused(this);
    throw new BusyGroupException(
        fits
            ? String.format(
                Locale.ROOT, "Group %s has %d live bytes, and the log is full", id, liveBytes)
            : String.format(
                Locale.ROOT,
                "Group %s has %d records of %d bytes that are not durable, of %d and %d",
                id,
                queuedRecords,
                queuedBytes,
                counters.queuedRecords(),
                counters.queuedBytes()));
  }

  /** Groups within their share of half of the log go on: rewriting makes room for them. */
  private boolean isLogFull() {
    long max = context.settings().logBytesMax();
    return context.counters().bytesOnDisk() >= max
        && liveBytes > max / 2 / Math.max(1, context.groups().getAsInt());
  }

  private long append(int type, long epoch, long position, byte[] bytes, boolean isLazy) {
    long number = ++sequence;
    QueuedRecord record =
        new QueuedRecord(base, this, type, number, number, epoch, position, bytes, isLazy);
    if (RecordType.isIndexed(type)) {
      index.add(number, epoch, position, type, bytes.length, record);
      highest = Math.max(highest, position);
      liveBytes += record.recordBytes();
    }
    push(record);
    return number;
  }

  private void push(QueuedRecord record) {
    queuedRecords++;
    queuedBytes += record.length();
    if (!RecordType.isRewritten(record.type)) {
      record.checksum = RecordHead.checksum(record.bytes);
    }
    context.counters().queued(1, record.length());
    context.counters().inMemory(record.length());
    context.writer().push(record);
  }

  /** Appends the first record of the group. */
  synchronized void created() {
    append(RecordType.CREATED, 0, lowWater, new byte[0], false);
  }

  /** Appends the last record of the group; all of its records are dead. */
  synchronized void remove(CompletableFuture<Void> whenDurable) {
    ended = new IOException("Group " + id + " was removed from the log.");
    QueuedRecord record =
        new QueuedRecord(
            base, this, RecordType.REMOVED, ++sequence, sequence, 0, 0, new byte[0], false);
    record.whenDurable = whenDurable;
    push(record);
    reports.end();
    clear();
  }

  /** A live record cannot be read any more: the group is lost, now and after each start. */
  synchronized void damaged(DamagedRecordException cause) {
    if (ended == null) {
      DamagedGroupException damage = new DamagedGroupException(id, cause.getMessage());
      damage.initCause(cause);
      ended = damage;
      byte[] reason = cause.getMessage().getBytes(StandardCharsets.UTF_8);
      push(
          new QueuedRecord(
              base, this, RecordType.DAMAGED, sequence, sequence, 0, 0, reason, false));
      clear();
      reports.failed(damage);
    }
  }

  private void clear() {
    for (int slot = 0; slot < index.size(); slot++) {
      die(slot);
    }
    index.removeFrom(0);
    context.purger().wake();
  }

  /** The damage of the group; empty if it has none. */
  synchronized Optional<DamagedGroupException> damage() {
    return ended instanceof DamagedGroupException damage ? Optional.of(damage) : Optional.empty();
  }

  /** Counts a row that is about to be removed. The record that says so is in the queue. */
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
    return QueuedRecord.recordBytes(
        RecordType.original(index.type(slot)), index.length(slot));
  }

  private int recordBytes(int slot) {
    return QueuedRecord.recordBytes(index.type(slot), index.length(slot));
  }

  private void free(QueuedRecord record) {
    if (record.bytes != null) {
      record.bytes = null;
      context.counters().inMemory(-record.length());
    }
  }

  // Of the log's thread

  /**
   * A record of the group is durable.
   *
   * @return whether its bytes stay in memory
   */
  synchronized boolean durable(QueuedRecord record) {
    record.isDurable = true;
    queuedRecords--;
    queuedBytes -= record.length();
    reports.durable(record.sequence);
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

  // Reading

  /** The index of the first entry, if there is one: the low-water mark. */
  public synchronized long lowWater() {
    return lowWater;
  }

  /** The index of the next entry. */
  public synchronized long nextIndex() {
    return last + 1;
  }

  /** The highest index that any entry or event has had; one less than the first if none had. */
  public synchronized long highestIndex() {
    return highest;
  }

  /** The number of the last record. */
  public synchronized long sequence() {
    return sequence;
  }

  /** The number of the last record that was found when the log was opened. */
  long recovered() {
    return recovered;
  }

  /** The number up to which all records are durable. */
  public long durable() {
    return reports.durable();
  }

  /** Bytes of the live entries and events, as they are in the log. */
  public synchronized long liveBytes() {
    return liveBytes;
  }

  /** The latest value of a state; empty if it was never set. */
  public synchronized Optional<byte[]> state(int key) {
    return key < states.length ? Optional.ofNullable(states[key]) : Optional.empty();
  }

  /** The position of an entry; empty if there is none of this index. Reads no file. */
  public synchronized Optional<Position> position(long entry) {
    int slot = index.slotOfEntry(entry);
    return slot < 0 ? Optional.empty() : Optional.of(new Position(index.epoch(slot), entry));
  }

  /** The length of an entry in bytes; 0 if there is none of this index. Reads no file. */
  public synchronized int length(long entry) {
    int slot = index.slotOfEntry(entry);
    return slot < 0 ? 0 : index.length(slot);
  }

  /**
   * The bytes of an entry; empty if there is none of this index. Blocks if they are not in memory.
   *
   * @throws DamagedRecordException if the record differs from what was written
   */
  public Optional<byte[]> entry(long entry) throws IOException {
    long order;
    synchronized (this) {
      int slot = index.slotOfEntry(entry);
      if (slot < 0) {
        return Optional.empty();
      }
      order = index.order(slot);
    }
    return read(order);
  }

  /**
   * Visits the live events from an index on, in the order in which they were appended; those that
   * are appended or released meanwhile may be left out. Blocks while it reads what is not in memory.
   *
   * @throws DamagedRecordException if a record differs from what was written
   */
  public void events(long from, EventVisitor visitor) throws IOException {
    for (long order : ordersFrom(from)) {
      Optional<byte[]> bytes = read(order);
      if (bytes.isPresent()) {
        visit(order, bytes.get(), visitor);
      }
    }
  }

  private void visit(long order, byte[] bytes, EventVisitor visitor) {
    int kind;
    Position at;
    synchronized (this) {
      int slot = index.slotOfOrder(order);
      if (slot < 0) {
        return;
      }
      kind = RecordType.kind(RecordType.original(index.type(slot)));
      at = new Position(index.epoch(slot), index.index(slot));
    }
    visitor.event(kind, at, bytes);
  }

  private synchronized long[] ordersFrom(long from) {
    long[] orders = new long[index.size()];
    int found = 0;
    for (int slot = 0; slot < index.size(); slot++) {
      if (index.index(slot) >= from) {
        orders[found++] = index.order(slot);
      }
    }
    return Arrays.copyOf(orders, found);
  }

  /** The place of a record, or its bytes. */
  private record Found(byte[] bytes, int segment, int offset, int type, int length) {}

  private synchronized Optional<Found> find(long order) {
    int slot = index.slotOfOrder(order);
    if (slot < 0) {
      return Optional.empty();
    }
    QueuedRecord record = index.inMemory(slot);
    return Optional.of(
        new Found(
            record == null ? null : record.bytes,
            index.segment(slot),
            index.offset(slot),
            index.type(slot),
            index.length(slot)));
  }

  private Optional<byte[]> read(long order) throws IOException {
    for (Optional<Found> found = find(order); found.isPresent(); found = find(order)) {
      if (found.get().bytes() != null) {
        return Optional.of(found.get().bytes());
      }
      Optional<byte[]> read = readFile(found.get());
      if (read.isPresent()) {
        return read;
      }
      // It was rewritten meanwhile, and its segment deleted.
      context.writer().requireOpen();
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
            || read.get().head().generation() != base.generation)) {
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

  // Rewriting

  /** The live records in a segment. */
  synchronized long[] ordersIn(int segment) {
    long[] orders = new long[index.size()];
    int found = 0;
    for (int slot = 0; slot < index.size(); slot++) {
      if (index.segment(slot) == segment) {
        orders[found++] = index.order(slot);
      }
    }
    return Arrays.copyOf(orders, found);
  }

  /**
   * Appends a copy of a record, if it is still live. Blocks while it reads.
   *
   * @return the bytes of the copy in the log; 0 if there is none
   */
  int rewrite(long order) throws IOException {
    Optional<byte[]> bytes = read(order);
    synchronized (this) {
      int slot = index.slotOfOrder(order);
      if (bytes.isEmpty() || slot < 0 || ended != null) {
        return 0;
      }
      int type = RecordType.rewritten(index.type(slot));
      QueuedRecord copy =
          new QueuedRecord(
              base,
              this,
              type,
              ++sequence,
              order,
              index.epoch(slot),
              index.index(slot),
              bytes.get(),
              true);
      push(copy);
      return copy.recordBytes();
    }
  }

  // Reports

  /** Ends the reports to the group; what was appended becomes durable all the same. */
  public void close() {
    reports.end();
  }

  void subscribe(Executor executor, GroupLogEvents events) {
    reports.begin(executor, events);
  }
}

package io.quorate.replication.log;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.replication.log.segment.DamagedRecordException;
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
 * methods return, increase from the creation of the group on, over all starts; the log itself uses
 * some in between.
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
     * @throws IOException if it ends the visit
     */
    void event(int kind, Position at, byte[] bytes) throws IOException;
  }

  private static final byte[] NOTHING = {};

  private final GroupId id;
  private final GroupBase base;
  private final LogContext context;
  private final GroupRecords records;
  private final GroupReports reports = new GroupReports();
  private final long recovered;
  private byte[][] states;
  private long sequence;
  private long lowWater;
  private long last;
  private long highest;

  /** Why nothing is appended any more; null if it is. */
  private IOException ended;

  /**
   * @param base the state of the group in the log, which is then the writer's
   * @param index its records in the log
   */
  GroupLog(GroupId id, GroupBase base, RecordIndex index, LogContext context) {
    this.id = id;
    this.base = base;
    this.context = context;
    this.recovered = base.sequence();
    this.sequence = recovered;
    this.lowWater = base.lowWater();
    this.last = base.last();
    this.highest = base.highest();
    this.states = base.states().clone();
    this.records = new GroupRecords(this, index, context);
    reports.durable(sequence);
  }

  public GroupId id() {
    return id;
  }

  /** Of this group among those that had its id one after another. */
  public int generation() {
    return base.generation;
  }

  GroupRecords records() {
    return records;
  }

  GroupReports reports() {
    return reports;
  }

  // Appending

  /**
   * Appends an entry. Needs {@link #flush}. Never refused for lack of room: who appends asks {@link
   * #hasRoom} before a step that may append several records, and takes the step as a whole.
   *
   * @param at the index follows that of the last entry
   * @param form what {@link #form} returns while the record is in memory, such as the decoded
   *     entry; it refers to these bytes and not to copies of them, which nobody would count
   * @throws IOException if the group or the log has failed; nothing was appended
   */
  public synchronized long appendEntry(Position at, byte[] bytes, Object form) throws IOException {
    if (at.index() != last + 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "Entry %s of group %s does not follow entry %d", at, id, last));
    }
    requireRunning();
    requireLength(bytes);
    last = at.index();
    return append(RecordType.ENTRY, at.epoch(), at.index(), bytes, form, false);
  }

  /**
   * Appends an event, as {@link #appendEntry}. Needs {@link #flush}.
   *
   * @param kind 0 to 63; what it means is up to the engine
   * @param at the index is not below the low-water mark
   * @param isLazy whether the record may become durable later, after {@link
   *     SharedLogSettings#lazySync} at most
   * @throws IOException if the group or the log has failed; nothing was appended
   */
  public synchronized long appendEvent(int kind, Position at, byte[] bytes, boolean isLazy)
      throws IOException {
    int type = RecordType.event(kind);
    if (at.index() < lowWater) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "Event %s is below the low-water mark %d", at, lowWater));
    }
    requireRunning();
    requireLength(bytes);
    return append(type, at.epoch(), at.index(), bytes, null, isLazy);
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
    return append(type, 0, 0, bytes, null, false);
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
    long number = append(RecordType.TRUNCATED, 0, from, NOTHING, null, false);
    records.truncate(from);
    last = from - 1;
    return number;
  }

  /**
   * Raises the low-water mark: entries and events below it are not needed any more. If it is beyond
   * the last entry, the next entry has its index. Lazy; never refused for lack of room. Needs
   * {@link #flush}.
   *
   * @param mark has no effect if it is not above the present one
   */
  public synchronized long release(long mark) throws IOException {
    requireRunning();
    if (mark <= lowWater) {
      return sequence;
    }
    long number = append(RecordType.LOW_WATER, 0, mark, NOTHING, null, true);
    records.release(mark);
    lowWater = mark;
    last = Math.max(last, mark - 1);
    highest = Math.max(highest, mark - 1);
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

  /**
   * Whether the group may append: it may have as much in the queue as half of what is free, so that
   * others always find room, and live records within its share of the log. If not, {@link
   * GroupLogEvents#room} reports when it may.
   */
  public boolean hasRoom() {
    boolean hasRoom = isRoom();
    if (!hasRoom) {
      context.counters().refused();
      context.writer().refused(this);
    }
    return hasRoom;
  }

  /** Without a report later. */
  synchronized boolean isRoom() {
    SharedLogCounters counters = context.counters();
    long freeBytes = context.settings().queueBytes() - counters.queuedBytes();
    int freeRecords = context.settings().queueRecords() - counters.queuedRecords();
    return records.queuedBytes() <= freeBytes / 2
        && records.queuedRecords() <= freeRecords / 2
        && !isLogFull();
  }

  private static void requireLength(byte[] bytes) {
    if (bytes.length > SharedLogSettings.RECORD_BYTES_MAX) {
      throw new IllegalArgumentException("A record has too many bytes: " + bytes.length);
    }
  }

  /** Groups within their share of half of the log go on: rewriting makes room for them. */
  private boolean isLogFull() {
    return context.counters().bytesOnDisk() >= context.settings().logBytesMax()
        && records.liveBytes() > shareBytes();
  }

  /** The bytes of live records up to which the group may append even if the log is full. */
  public long shareBytes() {
    return context.settings().logBytesMax() / 2 / Math.max(1, context.groups().getAsInt());
  }

  private long append(
      int type, long epoch, long position, byte[] bytes, Object form, boolean isLazy) {
    long number = ++sequence;
    if (RecordType.isIndexed(type)) {
      highest = Math.max(highest, position);
    }
    QueuedRecord record =
        new QueuedRecord(base, this, type, number, number, epoch, position, bytes, isLazy);
    record.setForm(form);
    push(record);
    return number;
  }

  private void push(QueuedRecord record) {
    if (!RecordType.isRewritten(record.type)) {
      record.checksum = RecordHead.checksum(record.bytes);
    }
    records.queued(record);
    context.counters().queued(1, record.length());
    context.counters().inMemory(record.memoryBytes());
    context.writer().push(record);
  }

  /** Appends the first record of the group. */
  synchronized void created() {
    append(RecordType.CREATED, 0, lowWater, NOTHING, null, false);
  }

  /** Appends the last record of the group; all of its records are dead. */
  synchronized void remove(CompletableFuture<Void> whenDurable) {
    ended = new IOException("Group " + id + " was removed from the log.");
    QueuedRecord record =
        new QueuedRecord(
            base, this, RecordType.REMOVED, ++sequence, sequence, 0, 0, NOTHING, false);
    record.whenDurable = whenDurable;
    push(record);
    reports.end();
    records.clear();
  }

  /** A live record cannot be read any more: the group is lost, now and after each start. */
  void damaged(DamagedRecordException cause) {
    DamagedGroupException damage = new DamagedGroupException(id, cause.getMessage());
    damage.initCause(cause);
    synchronized (this) {
      if (ended != null) {
        return;
      }
      ended = damage;
      byte[] reason = cause.getMessage().getBytes(StandardCharsets.UTF_8);
      push(
          new QueuedRecord(
              base, this, RecordType.DAMAGED, sequence, sequence, 0, 0, reason, false));
      records.clear();
    }
    // Without the monitor: whom it tells may have locks of its own, with which it appends.
    reports.failed(damage);
  }

  /** The damage of the group; empty if it has none. */
  synchronized Optional<DamagedGroupException> damage() {
    return ended instanceof DamagedGroupException damage ? Optional.of(damage) : Optional.empty();
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

  /** The index of the last entry; -1 if there is none. */
  public synchronized long lastEntry() {
    // One that is damaged has lost its records.
    return ended != null || last < lowWater ? -1 : last;
  }

  /** The first entry and the last one, of one moment; empty if there is none. Reads no file. */
  public synchronized Optional<Ends> ends() {
    // Truncations and releases change both under this monitor.
    Optional<Position> end = records.position(last);
    return end.map(position -> new Ends(lowWater, position));
  }

  /**
   * The ends of the entries of a group.
   *
   * @param first the index of the first one
   */
  public record Ends(long first, Position last) {}

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

  /** The index of the last entry that is durable; one less than the low-water mark if none is. */
  public synchronized long durableEntry() {
    return records.lastEntryUpTo(reports.durable()).orElse(lowWater - 1);
  }

  /** Bytes of the live entries and events, as they are in the log. */
  public long liveBytes() {
    return records.liveBytes();
  }

  /** The latest value of a state; empty if it was never set. */
  public synchronized Optional<byte[]> state(int key) {
    return key < states.length ? Optional.ofNullable(states[key]) : Optional.empty();
  }

  /** The position of an entry; empty if there is none of this index. Reads no file. */
  public Optional<Position> position(long entry) {
    return records.position(entry);
  }

  /** The length of an entry in bytes; 0 if there is none of this index. Reads no file. */
  public int length(long entry) {
    return records.length(entry);
  }

  /**
   * The form that was appended with an entry; empty if there is no such entry, or none of its form,
   * or if it is not in memory any more. Reads no file.
   */
  public Optional<Object> form(long entry) {
    return records.form(entry);
  }

  /**
   * The bytes of an entry; empty if there is none of this index. Blocks if they are not in memory.
   *
   * @throws DamagedRecordException if the record differs from what was written
   */
  public Optional<byte[]> entry(long entry) throws IOException {
    Optional<GroupRecords.Found> found = records.findEntry(entry);
    return found.isPresent() ? records.read(found.get()) : Optional.empty();
  }

  /**
   * Visits the live events from an index to another, in the order in which they were appended;
   * those that are appended or released meanwhile may be left out. Blocks while it reads what is
   * not in memory.
   *
   * @param to is not included
   * @throws DamagedRecordException if a record differs from what was written
   */
  public void events(long from, long to, EventVisitor visitor) throws IOException {
    visit(records.orders(from, to), visitor);
  }

  /** Visits the live events of a kind, as {@link #events}. */
  public void eventsOf(int kind, EventVisitor visitor) throws IOException {
    visit(records.ordersOf(RecordType.event(kind)), visitor);
  }

  private void visit(long[] orders, EventVisitor visitor) throws IOException {
    for (long order : orders) {
      Optional<GroupRecords.Found> found = records.find(order);
      Optional<byte[]> bytes = found.isPresent() ? records.read(found.get()) : Optional.empty();
      if (bytes.isPresent()) {
        visitor.event(found.get().kind(), found.get().at(), bytes.get());
      }
    }
  }

  // Rewriting

  /**
   * Appends a copy of a record, if it is still live. Blocks while it reads.
   *
   * @return the bytes of the copy in the log; 0 if there is none
   */
  int rewrite(long order) throws IOException {
    Optional<GroupRecords.Found> found = records.find(order);
    Optional<byte[]> bytes = found.isPresent() ? records.read(found.get()) : Optional.empty();
    synchronized (this) {
      // What makes it dead is queued under this monitor too.
      if (bytes.isEmpty() || ended != null || records.find(order).isEmpty()) {
        return 0;
      }
      QueuedRecord copy =
          new QueuedRecord(
              base,
              this,
              RecordType.rewritten(found.get().type()),
              ++sequence,
              order,
              found.get().at().epoch(),
              found.get().at().index(),
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

package io.quorate.replication.log;

import io.quorate.common.DurableEnd;
import io.quorate.common.Threads;
import io.quorate.replication.log.segment.GrowingSegment;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.SegmentDirectory;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of the log: writes what all groups have queued, makes it durable with one fsync (group
 * commit), and has each group told once. Waits while there is nothing to do.
 */
final class SharedLogWriter implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SharedLogWriter.class);

  /** The duration from which an fsync is logged: long enough for few log lines a minute. */
  private static final long SLOW_SYNC_NANOS = TimeUnit.SECONDS.toNanos(2);

  static final long CLOSE_MILLIS = 10_000;

  private final SegmentDirectory directory;
  private final DurableEnd end;
  private final SharedLogSettings settings;
  private final SharedLogCounters counters;
  private final LiveSegments segments;
  private final RecentRecords recent;
  private final Consumer<IOException> whenFailed;
  private final Thread thread;

  /** The queue, the newest record first. */
  private final AtomicReference<QueuedRecord> queue = new AtomicReference<>();

  private final ConcurrentLinkedQueue<GroupLog> refused = new ConcurrentLinkedQueue<>();
  private volatile long queuedSince;
  private volatile boolean parked;
  private volatile boolean closing;

  /** Why no record is written any more; null while they are. */
  private volatile IOException ended;

  private volatile boolean isClosed;

  /** The time of the oldest record that was taken and is not durable; 0 if there is none. */
  private volatile long takenSince;

  // Of the thread, once it runs
  private final Map<Integer, GroupBase> bases = new LinkedHashMap<>();
  private final List<GroupReports> touched = new ArrayList<>();
  private final ByteBuffer buffer;
  private GrowingSegment segment;
  private int segmentBytes;
  private long purged;
  private int nextGeneration;

  /** What was taken from the queue and is not written, the oldest first. */
  private QueuedRecord taken;

  private QueuedRecord firstUnsynced;
  private QueuedRecord lastUnsynced;
  private boolean isUrgent;
  private long unsyncedSince;
  private Runnable whenRolled = () -> {};

  /**
   * @param whenFailed called once, on the log's thread, if a write or an fsync fails
   */
  SharedLogWriter(
      SegmentDirectory directory,
      DurableEnd end,
      SharedLogSettings settings,
      SharedLogCounters counters,
      LiveSegments segments,
      RecentRecords recent,
      Consumer<IOException> whenFailed) {
    this.directory = directory;
    this.end = end;
    this.settings = settings;
    this.counters = counters;
    this.segments = segments;
    this.recent = recent;
    this.whenFailed = whenFailed;
    this.buffer = ByteBuffer.allocateDirect(settings.writeBytes());
    this.thread = new Thread(this, "quorate-node-log");
    thread.setDaemon(true);
  }

  /**
   * Begins the first segment of this start, with what was recovered, and starts the thread. Blocks.
   */
  void start(SegmentStart first, SharedLogRecovery.Recovered recovered, Runnable rolled)
      throws IOException {
    recovered.bases().forEach(base -> bases.put(base.group, base));
    purged = recovered.purged();
    nextGeneration = recovered.nextGeneration();
    whenRolled = rolled;
    try {
      begin(first);
    } catch (IOException | RuntimeException e) {
      if (segment != null) {
        segment.close();
      }
      throw e;
    }
    thread.start();
  }

  // Any thread

  /** Queues a record for the next {@link #wake}. The order of the calls of a group is kept. */
  void push(QueuedRecord record) {
    QueuedRecord head = queue.get();
    while (true) {
      if (head == null) {
        queuedSince = System.nanoTime();
      }
      record.next = head;
      QueuedRecord witness = queue.compareAndExchange(head, record);
      if (witness == head) {
        break;
      }
      head = witness;
    }
    if (ended != null) {
      failQueued();
    }
  }

  void wake() {
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /** Reports to a group when there is room. */
  void refused(GroupLog group) {
    if (group.reports().refused()) {
      refused.add(group);
    }
    // Nothing else may come that wakes it: what is queued may lack a flush, or the disk is full.
    wake();
  }

  /** Throws what has ended the log. */
  void requireRunning() throws IOException {
    IOException cause = ended;
    if (cause != null) {
      throw new IOException("The log has ended: " + cause.getMessage(), cause);
    }
  }

  /** Files are read until the log is closed. */
  void requireOpen() throws IOException {
    if (isClosed) {
      throw new IOException("The log is closed.");
    }
  }

  boolean hasEnded() {
    return ended != null;
  }

  /** For how long the oldest record has been waiting to become durable. */
  Duration oldestWait() {
    long since = takenSince;
    if (since == 0) {
      if (queue.get() == null) {
        return Duration.ZERO;
      }
      since = queuedSince;
    }
    return Duration.ofNanos(Math.max(0, System.nanoTime() - since));
  }

  /**
   * Ends the thread when everything queued is durable; blocks until then, {@link #CLOSE_MILLIS} at
   * most: a disk that hangs must not keep a node from ending.
   */
  void close() {
    closing = true;
    LockSupport.unpark(thread);
    if (!Threads.awaitEnd(thread, CLOSE_MILLIS)) {
      LOG.warn("The disk does not respond; what was not durable of the log may be lost");
    }
  }

  /** No file may be read any more. */
  void closed() {
    isClosed = true;
  }

  // The thread

  @Override
  public void run() {
    try {
      while (iterate()) {
        // Until it is closed.
      }
      ended = new IOException("The log is closed.");
      failQueued();
    } catch (IOException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      fail(new IOException("The thread of the log has failed: " + e, e));
    } finally {
      release();
    }
  }

  /**
   * @return whether to go on
   */
  private boolean iterate() throws IOException {
    taken = take();
    while (taken != null) {
      QueuedRecord next = taken.next;
      write(taken);
      taken = next;
    }
    writeBuffer();
    boolean isUnsynced = firstUnsynced != null;
    if (isUnsynced && (isUrgent || closing || untilLazySync() <= 0)) {
      sync();
    }
    reportRoom();
    return queue.get() != null || !closing && park() || firstUnsynced != null;
  }

  /** What is queued, the oldest first. */
  private QueuedRecord take() {
    long since = queuedSince;
    QueuedRecord newest = queue.getAndSet(null);
    if (newest != null && takenSince == 0) {
      takenSince = since;
    }
    QueuedRecord oldest = null;
    while (newest != null) {
      QueuedRecord next = newest.next;
      newest.next = oldest;
      oldest = newest;
      newest = next;
    }
    return oldest;
  }

  private boolean park() {
    parked = true;
    // A record that was queued before parked was set, without a wake, is found here.
    if (queue.get() == null && !closing) {
      if (firstUnsynced != null) {
        LockSupport.parkNanos(this, Math.max(1, untilLazySync()));
      } else {
        LockSupport.park(this);
      }
    }
    parked = false;
    return true;
  }

  private long untilLazySync() {
    return unsyncedSince + settings.lazySync().toNanos() - System.nanoTime();
  }

  private void write(QueuedRecord record) throws IOException {
    if (segment.position() + buffer.position() >= segmentBytes) {
      writeBuffer();
      sync();
      roll();
    }
    if (buffer.remaining() < RecordHead.BYTES + Long.BYTES) {
      writeBuffer();
    }
    encode(record);
    apply(record);
    record.next = null;
    if (firstUnsynced == null) {
      firstUnsynced = record;
      unsyncedSince = System.nanoTime();
    } else {
      lastUnsynced.next = record;
    }
    lastUnsynced = record;
    isUrgent |= !record.isLazy;
  }

  private void encode(QueuedRecord record) throws IOException {
    record.segment = Math.toIntExact(segment.number());
    record.offset = segment.position() + buffer.position();
    byte[] bytes = record.bytes;
    boolean isRewritten = RecordType.isRewritten(record.type);
    byte[] payload = isRewritten ? withOrder(record.order, bytes) : bytes;
    segment
        .encoder()
        .encode(
            buffer,
            record.offset,
            payload.length,
            isRewritten ? RecordHead.checksum(payload) : record.checksum,
            segment.durable(),
            record.base == null ? RecordHead.NO_GROUP : record.base.group,
            record.base == null ? 0 : record.base.generation,
            record.type,
            record.sequence,
            record.epoch,
            record.index);
    for (int from = 0; from < payload.length; ) {
      int part = Math.min(buffer.remaining(), payload.length - from);
      buffer.put(payload, from, part);
      from += part;
      if (!buffer.hasRemaining()) {
        writeBuffer();
      }
    }
  }

  private static byte[] withOrder(long order, byte[] bytes) {
    return ByteBuffer.allocate(Long.BYTES + bytes.length).putLong(order).put(bytes).array();
  }

  private void apply(QueuedRecord record) {
    if (record.type == RecordType.PURGED) {
      purged = Math.max(purged, record.index);
      return;
    }
    if (record.type == RecordType.CREATED) {
      bases.put(record.base.group, record.base);
      nextGeneration = Math.max(nextGeneration, record.base.generation + 1);
    } else if (record.type == RecordType.REMOVED) {
      bases.remove(record.base.group, record.base);
    }
    record.base.apply(record.type, record.sequence, record.index, record.bytes);
  }

  private void writeBuffer() throws IOException {
    if (buffer.position() > 0) {
      LogPoints.BEFORE_WRITE.reached(segment.start());
      segment.append(buffer.flip());
      buffer.clear();
      LogPoints.AFTER_WRITE.reached(segment.start());
    }
  }

  private void sync() throws IOException {
    if (firstUnsynced == null) {
      return;
    }
    LogPoints.BEFORE_SYNC.reached(segment.start());
    long begun = System.nanoTime();
    segment.sync();
    long nanos = System.nanoTime() - begun;
    LogPoints.AFTER_SYNC.reached(segment.start());
    end.reached(segment.number(), segment.position());
    LogPoints.BEFORE_COMPLETION.reached(segment.start());
    counters.synced(nanos);
    segments.resized(Math.toIntExact(segment.number()), segment.size());
    if (nanos > SLOW_SYNC_NANOS) {
      LOG.warn("The disk is slow: an fsync of the log took millis={}", nanos / 1_000_000);
    }
    complete();
    isUrgent = false;
    takenSince = taken == null ? 0 : System.nanoTime();
    recent.evict();
  }

  /** Everything unsynced is durable. */
  private void complete() {
    QueuedRecord record = firstUnsynced;
    firstUnsynced = null;
    lastUnsynced = null;
    while (record != null) {
      QueuedRecord next = record.next;
      record.next = null;
      complete(record);
      record = next;
    }
    touched.forEach(GroupReports::report);
    touched.clear();
  }

  private void complete(QueuedRecord record) {
    counters.written(record.recordBytes());
    counters.queued(-1, -record.length());
    if (RecordType.isRewritten(record.type)) {
      counters.rewritten(record.recordBytes());
    }
    if (record.group != null) {
      if (record.group.records().durable(record)) {
        recent.add(record);
      }
      record.group.reports().durable(record.sequence);
      if (record.group.reports().touch()) {
        touched.add(record.group.reports());
      }
    }
    if (record.whenDurable != null) {
      record.whenDurable.complete(null);
    }
  }

  private void reportRoom() {
    for (int left = refused.size(); left > 0; left--) {
      GroupLog group = refused.poll();
      if (group.isRoom()) {
        group.reports().room();
      } else {
        refused.add(group);
      }
    }
  }

  private void roll() throws IOException {
    LogPoints.BEFORE_ROLL.reached(segment.start());
    SegmentStart before = segment.start();
    segment.close();
    begin(new SegmentStart(before.number() + 1, before.salt(), before.owner(), segment.position()));
    whenRolled.run();
  }

  /** Begins a segment, and has it known outside of the directory before it is used. */
  private void begin(SegmentStart start) throws IOException {
    segment =
        GrowingSegment.create(
            directory, start, BaseRecords.encode(start, purged, nextGeneration, bases.values()));
    LogPoints.CREATED.reached(segment.start());
    end.reached(segment.number(), segment.position());
    segments.add(Math.toIntExact(segment.number()));
    // Bases of very many groups do not follow one another without records in between.
    segmentBytes = Math.max(settings.segmentBytes(), 2 * segment.position());
  }

  private void fail(IOException cause) {
    ended = cause;
    LOG.error("The log of this node has failed; no record becomes durable any more", cause);
    fail(firstUnsynced);
    fail(taken);
    failQueued();
    whenFailed.accept(cause);
  }

  private void failQueued() {
    fail(queue.getAndSet(null));
  }

  private void fail(QueuedRecord first) {
    for (QueuedRecord record = first; record != null; record = record.next) {
      if (record.whenDurable != null) {
        record.whenDurable.completeExceptionally(ended);
      }
    }
  }

  private void release() {
    try {
      segment.close();
      end.close();
    } catch (IOException e) {
      LOG.warn("A log file could not be closed; all of it that is durable stays so", e);
    }
    whenRolled.run();
  }
}

package io.quorate.rabia.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.common.Threads;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a log: writes the records queued since the last fsync and makes them durable with
 * one fsync (group commit). Parks while there is nothing to do.
 */
final class LogWriter implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);
  private static final int BUFFER_BYTES = 64 << 10;

  /** The duration from which an fsync is logged: long enough for few log lines a minute. */
  private static final long SLOW_SYNC_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Work queued for the thread. */
  sealed interface Task {
    /**
     * @param bytes the estimated memory of the record
     */
    record Append(LogRecord record, boolean lazily, long bytes) implements Task {}

    record Truncate(Position through) implements Task {}
  }

  private final ConcurrentLinkedQueue<Task> queue = new ConcurrentLinkedQueue<>();
  private final LogFiles files;
  private final LogSettings settings;
  private final LogCounters counters;
  private final ReplicaLog.Events events;
  private final long recordsBefore;
  private final Thread thread;
  private volatile boolean parked;
  private volatile boolean closing;
  private volatile boolean failed;
  private volatile String overflow;

  private ByteBuf buffer = Unpooled.directBuffer(BUFFER_BYTES);
  private long next;
  private long durable;
  private boolean urgent;
  private long unsyncedSince;
  private Position truncation = Position.NONE;

  /**
   * @param next sequence number of the next record; all earlier ones are durable
   */
  LogWriter(
      String name,
      LogFiles files,
      LogSettings settings,
      LogCounters counters,
      ReplicaLog.Events events,
      long next) {
    this.files = files;
    this.settings = settings;
    this.counters = counters;
    this.events = events;
    this.next = next;
    this.durable = next - 1;
    this.recordsBefore = next - 1;
    this.thread = new Thread(this, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Queues a task for the next {@link #wake}. Any thread. */
  void add(Task task) {
    if (failed || overflow != null) {
      return;
    }
    if (task instanceof Task.Append append) {
      counters.queued(1, append.bytes());
    }
    queue.add(task);
  }

  /** Makes the log fail in the next iteration of the thread. */
  void overflow(String message) {
    overflow = message;
    wake();
  }

  void wake() {
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /** Ends the thread when everything queued is durable; blocks until then. */
  void close() {
    closing = true;
    LockSupport.unpark(thread);
    Threads.awaitEnd(thread);
  }

  @Override
  public void run() {
    try {
      while (!closing || !queue.isEmpty() || isUnsynced()) {
        iterate();
      }
    } catch (IOException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      fail(new IOException("The log's thread has failed: " + e, e));
    } finally {
      release();
    }
  }

  private void iterate() throws IOException {
    if (overflow != null) {
      throw new IOException(overflow);
    }
    if (files.isFull() && !queue.isEmpty()) {
      if (isUnsynced()) {
        sync();
      }
      files.roll(next);
    }
    boolean polled = takeGroup();
    if (buffer.isReadable()) {
      write();
    }
    if (isUnsynced() && (urgent || closing || untilLazySync() <= 0)) {
      sync();
    }
    if (!truncation.equals(Position.NONE)) {
      files.release(truncation, durable);
      truncation = Position.NONE;
    }
    if (!polled) {
      park();
    }
  }

  private boolean takeGroup() {
    boolean polled = false;
    while (buffer.readableBytes() < settings.groupBytes()) {
      Task task = queue.poll();
      if (task == null) {
        break;
      }
      polled = true;
      if (task instanceof Task.Append append) {
        encode(append);
      } else {
        truncation = ((Task.Truncate) task).through();
      }
    }
    return polled;
  }

  private void encode(Task.Append append) {
    counters.queued(-1, -append.bytes());
    if (!isUnsynced()) {
      unsyncedSince = System.nanoTime();
    }
    long offset = files.position() + buffer.readableBytes();
    int bytes = RecordFrame.append(append.record(), next, durable, files.segment(), offset, buffer);
    files.note(append.record(), next);
    counters.written(1, bytes);
    urgent |= !append.lazily();
    next++;
  }

  private void write() throws IOException {
    files.append(buffer);
    buffer.clear();
    if (buffer.capacity() > 2 * settings.groupBytes()) {
      // One long record does not keep a large buffer allocated for ever.
      buffer.release();
      buffer = Unpooled.directBuffer(BUFFER_BYTES);
    }
  }

  private boolean isUnsynced() {
    return durable < next - 1;
  }

  private long untilLazySync() {
    return unsyncedSince + settings.lazySync().toNanos() - System.nanoTime();
  }

  private void sync() throws IOException {
    long begun = System.nanoTime();
    files.sync(next - 1);
    long nanos = System.nanoTime() - begun;
    counters.synced(next - 1 - durable, nanos);
    if (nanos > SLOW_SYNC_NANOS) {
      LOG.warn("The disk is slow: an fsync of the log took millis={}", nanos / 1_000_000);
    }
    durable = next - 1;
    urgent = false;
    events.durable(new Lsn(durable - recordsBefore));
  }

  private void park() {
    parked = true;
    // A task that was added before parked was set, without a wake, is found here.
    if (queue.isEmpty() && !closing && overflow == null) {
      if (isUnsynced()) {
        LockSupport.parkNanos(this, Math.max(1, untilLazySync()));
      } else {
        LockSupport.park(this);
      }
    }
    parked = false;
  }

  private void fail(IOException cause) {
    failed = true;
    queue.clear();
    LOG.error("{} has failed; the records appended last may not be durable", thread, cause);
    events.failed(cause);
  }

  private void release() {
    buffer.release();
    try {
      files.close();
    } catch (IOException e) {
      LOG.warn("A log file could not be closed; all of it that is durable stays so", e);
    }
  }
}

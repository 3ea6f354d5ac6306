package io.quorate.replication.log;

import io.quorate.common.Pace;
import io.quorate.common.Threads;
import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.log.segment.RecordType;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes segments, from the oldest on, when no record in them is live. When there are many more
 * than live records need, it has those of the oldest one rewritten at the end of the log, so that a
 * group that is idle or far behind does not keep it. A thread of its own, which blocks.
 */
final class SegmentPurger implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentPurger.class);

  /** The segments that may exist besides twice those that live records would fill. */
  static final int SPARE_SEGMENTS = 4;

  /** The bytes of copies that may be in the queue. */
  private static final int UNSYNCED_BYTES_MAX = 1 << 20;

  private final LiveSegments segments;
  private final SharedLogWriter writer;
  private final SharedLogSettings settings;
  private final SharedLogCounters counters;
  private final Supplier<Collection<GroupLog>> groups;
  private final Pace pace;
  private final Thread thread = new Thread(this, "quorate-node-log-purge");
  private volatile boolean isWoken = true;
  private volatile boolean closing;

  SegmentPurger(
      LiveSegments segments,
      SharedLogWriter writer,
      SharedLogSettings settings,
      SharedLogCounters counters,
      Supplier<Collection<GroupLog>> groups) {
    this.segments = segments;
    this.writer = writer;
    this.settings = settings;
    this.counters = counters;
    this.groups = groups;
    this.pace = new Pace(settings.rewriteBytesPerSecond(), System.nanoTime());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** A segment was begun, or records have died. Any thread. */
  void wake() {
    if (!isWoken) {
      isWoken = true;
      LockSupport.unpark(thread);
    }
  }

  /** Ends the thread; blocks until then, as {@link SharedLogWriter#close}. */
  void close() {
    closing = true;
    LockSupport.unpark(thread);
    if (!Threads.awaitEnd(thread, SharedLogWriter.CLOSE_MILLIS)) {
      LOG.debug("The thread that deletes segments waits for the disk");
    }
  }

  @Override
  public void run() {
    while (!closing && !writer.hasEnded()) {
      isWoken = false;
      try {
        while (!closing && purge()) {
          // There may be more.
        }
      } catch (CompletionException e) {
        LOG.debug("The log has ended while a segment was to be deleted", e);
      } catch (IOException | RuntimeException e) {
        LOG.warn("The oldest segment of the log cannot be deleted yet", e);
      }
      while (!isWoken && !closing && !writer.hasEnded()) {
        LockSupport.park(this);
      }
    }
  }

  /**
   * @return whether something was done
   */
  private boolean purge() throws IOException {
    Optional<LiveSegments.Segment> oldest = segments.oldest();
    if (oldest.isEmpty()) {
      return false;
    }
    if (oldest.get().liveRecords() == 0) {
      delete(oldest.get());
      return true;
    }
    long needed = 2 * counters.liveBytes() / settings.segmentBytes();
    if (segments.count() <= SPARE_SEGMENTS + needed) {
      return false;
    }
    rewrite(oldest.get().number);
    return true;
  }

  /** All that made the records of the segment dead was queued before what this waits for. */
  private void delete(LiveSegments.Segment oldest) throws IOException {
    statePurged(segments.secondOldest() - 1);
    LogPoints.BEFORE_DELETE.reached((long) oldest.number);
    segments.delete(oldest);
    LogPoints.AFTER_DELETE.reached((long) oldest.number);
    writer.wake();
  }

  /** States that segments may be deleted; waits until that and all before is durable. */
  private void statePurged(long through) {
    QueuedRecord record =
        new QueuedRecord(null, null, RecordType.PURGED, 0, 0, 0, through, new byte[0], false);
    CompletableFuture<Void> durable = new CompletableFuture<>();
    record.whenDurable = durable;
    counters.queued(1, 0);
    writer.push(record);
    writer.wake();
    durable.join();
  }

  private void rewrite(int segment) throws IOException {
    int unsynced = 0;
    for (GroupLog group : groups.get()) {
      for (long order : group.records().ordersIn(segment)) {
        if (closing) {
          return;
        }
        int bytes = rewrite(group, order);
        unsynced += bytes;
        pause(bytes);
        if (unsynced > UNSYNCED_BYTES_MAX) {
          statePurged(segment - 1L);
          unsynced = 0;
        }
      }
    }
    statePurged(segment - 1L);
  }

  private static int rewrite(GroupLog group, long order) throws IOException {
    try {
      return group.rewrite(order);
    } catch (DamagedRecordException e) {
      LOG.error("A group has lost a record, and is not used any more group={}", group.id(), e);
      group.damaged(e);
      return 0;
    }
  }

  private void pause(int bytes) {
    long until = System.nanoTime() + pace.reserve(bytes, System.nanoTime());
    long left = until - System.nanoTime();
    while (left > 0 && !closing) {
      LockSupport.parkNanos(this, left);
      left = until - System.nanoTime();
    }
  }
}

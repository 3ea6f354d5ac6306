package io.quorate.rabia.log;

import io.quorate.common.DamagedLogException;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The durable log of one replica of one group. The order of calls is {@link #open}, {@link
 * #newestCheckpointAtOrBefore}, {@link #replay}, and then {@link #append} with {@link #flush};
 * {@link #close} at any time.
 *
 * <p>One thread at a time calls it, except for {@link #counters}. A thread of the log makes records
 * durable in the order of {@code append}, many with one fsync (group commit); a crash loses a
 * suffix of the records not reported durable, and nothing else.
 */
public final class ReplicaLog implements AutoCloseable {

  /** The reports of the log. Called on the log's thread; must not block. */
  public interface Events {
    /** Every record up to {@code through} is on disk. {@code through} never decreases. */
    void durable(Lsn through);

    /**
     * A write or an fsync has failed, or more was queued than the settings allow. The last call: no
     * later record becomes durable, and appended records are dropped. The process must end (P1).
     */
    void failed(IOException cause);
  }

  /** The estimated memory of a record without a batch body. */
  private static final int RECORD_BYTES = 256;

  private final LogDirectory directory;
  private final LogSettings settings;
  private final LogCounters counters;
  private final LogWriter writer;
  private final LogRecovery.Recovered recovered;
  private Lsn last = Lsn.START;
  private boolean closed;

  private ReplicaLog(
      LogDirectory directory,
      LogSettings settings,
      LogCounters counters,
      LogWriter writer,
      LogRecovery.Recovered recovered) {
    this.directory = directory;
    this.settings = settings;
    this.counters = counters;
    this.writer = writer;
    this.recovered = recovered;
  }

  /**
   * Opens the log in a directory of its own, which is created if it does not exist. Reads the whole
   * log once, cuts a torn write at its end, and makes durable what it has read; blocks meanwhile.
   *
   * @param end a file outside of the directory that states where the log ends, so that a lost log
   *     is not mistaken for a new one, nor a cut one for a shorter one; created if neither exists
   * @throws DamagedLogException if a record is missing that may have been durable (P1)
   * @throws ForeignLogException if it is the log of another replica
   * @throws IOException if it cannot be read or created
   */
  public static ReplicaLog open(
      Path directory, Path end, LogIdentity identity, LogSettings settings, Events events)
      throws IOException {
    LogDirectory files = LogDirectory.open(directory);
    LogEnd mark = new LogEnd(end);
    LogRecovery.Recovered recovered = new LogRecovery(files, mark, identity).recover();
    LogCounters counters = new LogCounters();
    LogWriter writer =
        new LogWriter(
            "quorate-rabia-log-" + identity.group(),
            new LogFiles(files, mark, identity, settings, counters, recovered),
            settings,
            counters,
            events,
            recovered.next());
    writer.start();
    return new ReplicaLog(files, settings, counters, writer, recovered);
  }

  /**
   * The checkpoint from which a replica starts: the newest one in the log that the state machine's
   * durable state covers.
   *
   * @return empty if the replica starts from the initial checkpoint: the log goes back to the
   *     beginning
   * @throws DamagedLogException if the log no longer continues the state: the state is older than
   *     every checkpoint in the log, so a newer state was lost
   */
  public Optional<LogRecord.Checkpointed> newestCheckpointAtOrBefore(Position durableState)
      throws DamagedLogException {
    LogRecovery.FoundCheckpoint newest = null;
    for (LogRecovery.FoundCheckpoint found : recovered.checkpoints()) {
      if (durableState.covers(position(found))
          && (newest == null || position(found).covers(position(newest)))) {
        newest = found;
      }
    }
    if (newest == null && recovered.segments().get(0) > 1) {
      throw beginsAfter(durableState);
    }
    return Optional.ofNullable(newest).map(LogRecovery.FoundCheckpoint::record);
  }

  private DamagedLogException beginsAfter(Position state) {
    if (recovered.checkpoints().isEmpty()) {
      Path first = directory.segment(recovered.segments().get(0));
      return LogDamage.beginsAfter(first, SegmentHeader.BYTES, state);
    }
    LogRecovery.FoundCheckpoint first = recovered.checkpoints().get(0);
    return LogDamage.beginsAfter(first.file(), first.offset(), state);
  }

  private static Position position(LogRecovery.FoundCheckpoint found) {
    return found.record().checkpoint().at();
  }

  /**
   * Passes on every record that was found when the log was opened, in order, including those before
   * the checkpoint. Before the first {@link #append}; blocks while files are read.
   *
   * @throws DamagedLogException if a file has changed since
   * @throws IOException if a file cannot be read
   */
  public void replay(Consumer<LogRecord> to) throws IOException {
    if (last.isAfter(Lsn.START)) {
      throw new IllegalStateException("The log has been added to, up to " + last);
    }
    long sequence = 0;
    for (long number : recovered.segments()) {
      SegmentReader segment = SegmentReader.open(directory.segment(number));
      Optional<LogRecord> record = segment.next();
      while (record.isPresent()) {
        to.accept(record.get());
        record = segment.next();
      }
      sequence = segment.sequence();
    }
    if (sequence != recovered.next()) {
      throw LogDamage.at(
          directory.segment(recovered.last().number()),
          SegmentHeader.BYTES,
          String.format(
              Locale.ROOT,
              "it ends with record %d, and ended with %d when the log was opened",
              sequence - 1,
              recovered.next() - 1));
    }
  }

  /**
   * Queues a record. Never blocks; the record is written after the next {@link #flush} at the
   * latest. Does nothing after the log has failed.
   *
   * <p>The queue is bounded by {@link LogSettings#queueRecords} and {@link LogSettings#queueBytes}:
   * a replica that learns decisions can be faster than a disk, so the caller checks {@link
   * #hasRoom} before a step. Beyond the bounds the log fails.
   *
   * @param lsn the previous one plus 1; the first after {@link #open} is 1
   * @param lazily whether it is enough that the record is durable after {@link
   *     LogSettings#lazySync}
   */
  public void append(Lsn lsn, LogRecord record, boolean lazily) {
    if (closed || lsn.value() != last.value() + 1) {
      throw new IllegalStateException(
          "Append out of order: " + lsn + " after " + last + (closed ? ", closed" : ""));
    }
    last = lsn;
    long bytes = memoryBytes(record);
    if (counters.queuedRecords() >= settings.queueRecords()
        || counters.queuedBytes() + bytes > settings.queueBytes()) {
      writer.overflow(
          String.format(
              Locale.ROOT,
              "%d records of %d bytes wait for the disk under %s, and queueRecords is %d, queueBytes"
                  + " %d: find out why the disk is slow, or raise them",
              counters.queuedRecords(),
              counters.queuedBytes(),
              directory.path(),
              settings.queueRecords(),
              settings.queueBytes()));
    }
    writer.add(new LogWriter.Task.Append(record, lazily, bytes));
  }

  private static long memoryBytes(LogRecord record) {
    Optional<Batch> batch =
        switch (record.kind()) {
          case PROPOSED -> ((LogRecord.Proposed) record).batch();
          case SLOT_DECIDED -> ((LogRecord.SlotDecided) record).decided().batch();
          case RESERVATION, STATE_CHOSEN, VOTED, CHECKPOINTED -> Optional.empty();
        };
    return RECORD_BYTES + batch.map(Batch::size).orElse(0);
  }

  /**
   * Whether the queue has capacity for another step of the replica (back-pressure). Otherwise the
   * caller waits for {@link Events#durable}; no queued record is lost.
   */
  public boolean hasRoom() {
    return counters.queuedRecords() < settings.queueRecords() / 2
        && counters.queuedBytes() < settings.queueBytes() / 2;
  }

  /**
   * Deletes whole segments that {@link io.quorate.rabia.core.step.Effect.Truncate} allows to
   * delete; a segment that is needed in part stays. Takes effect after the next {@link #flush} and
   * after everything appended before. Never blocks.
   */
  public void truncate(Position through) {
    writer.add(new LogWriter.Task.Truncate(through));
  }

  /**
   * A reader of the decisions in the log, for use by a thread of its own.
   *
   * @param alpha how many slots beyond the executed one records may be
   */
  public DecisionReader decisions(int alpha) {
    return new DecisionReader(directory, recovered.retention(), alpha);
  }

  /** Wakes the log's thread if it is parked. One call after many steps is enough. */
  public void flush() {
    writer.wake();
  }

  public LogCounters counters() {
    return counters;
  }

  /**
   * Makes the appended records durable and ends the log's thread; blocks meanwhile. Reports
   * continue until then. Must not be called from {@link Events}.
   */
  @Override
  public void close() {
    closed = true;
    writer.close();
  }
}

package io.quorate.rabia.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.quorate.common.DamagedLogException;
import io.quorate.common.DecodeException;
import io.quorate.common.Failures;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.rabia.codec.RecordCodec;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.replication.log.DamagedGroupException;
import io.quorate.replication.log.GroupLog;
import io.quorate.replication.log.GroupLogEvents;
import io.quorate.replication.log.SharedLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The durable records of one replica of one group, in the log of its node. The order of calls is
 * {@link #open}, {@link #newestCheckpointAtOrBefore}, {@link #replay}, and then {@link #append}
 * with {@link #flush}; {@link #close} at any time. One thread at a time calls it.
 *
 * <p>The log of the node makes records durable in the order of {@code append}, many with one fsync
 * (group commit), those of other replicas too; a crash loses a suffix of the records not reported
 * durable, and nothing else.
 */
public final class ReplicaLog implements AutoCloseable {

  /** The reports of the log, on the executor of the replica. */
  public interface Events {
    /** Every record up to {@code through} is on disk. {@code through} never decreases. */
    void durable(Lsn through);

    /** There was no room, and is again. */
    void room();

    /**
     * No later record becomes durable, and appended records are dropped. The process must end (P1).
     *
     * @param cause a {@link DamagedGroupException} if it concerns this replica alone
     */
    void failed(IOException cause);
  }

  /** The state that holds the last reservation. */
  private static final int RESERVATION = 0;

  private static final int BUFFER_BYTES = 4 << 10;

  /** A buffer that has become longer is not kept. */
  private static final int BUFFER_BYTES_MAX = 1 << 20;

  private final SharedLog node;
  private final GroupLog group;
  private final Reports reports;

  /** The slots of the checkpoints in the log, the oldest first. */
  private final ArrayDeque<Long> checkpoints = new ArrayDeque<>();

  private Lsn last = Lsn.START;

  /** For the encoding of one record after the other. */
  private ByteBuf buffer = Unpooled.buffer(BUFFER_BYTES);

  private ReplicaLog(SharedLog node, GroupLog group, Reports reports) {
    this.node = node;
    this.group = group;
    this.reports = reports;
  }

  /**
   * Opens the records of a replica in the log of its node, or begins them. Blocks until they are
   * durable.
   *
   * @param executor runs the reports; not the caller
   * @throws DamagedGroupException if a record is missing that may have been durable (P1)
   * @throws IOException if the log of the node has failed
   */
  public static ReplicaLog open(SharedLog node, GroupId id, Executor executor, Events events)
      throws IOException {
    Reports reports = new Reports(events);
    Optional<GroupLog> found = node.open(id, executor, reports);
    if (found.isPresent()) {
      return new ReplicaLog(node, found.get(), reports);
    }
    GroupLog created = node.create(id, 0, executor, reports);
    try {
      reports.begun.join();
    } catch (CompletionException e) {
      throw new IOException("The log of this node has failed.", Failures.unwrap(e));
    }
    return new ReplicaLog(node, created, reports);
  }

  /**
   * The checkpoint from which a replica starts: the newest one in the log that the state machine's
   * durable state covers. Blocks.
   *
   * @return empty if the replica starts from the initial checkpoint: the log goes back to the
   *     beginning
   * @throws DamagedLogException if the log no longer continues the state: the state is older than
   *     every checkpoint in the log, so a newer state was lost
   * @throws IOException if a record cannot be read
   */
  public Optional<LogRecord.Checkpointed> newestCheckpointAtOrBefore(Position durableState)
      throws IOException {
    LogRecord.Checkpointed[] newest = {null};
    checkpoints.clear();
    group.eventsOf(
        LogRecord.Kind.CHECKPOINTED.code(),
        (kind, at, bytes) -> {
          LogRecord.Checkpointed found = (LogRecord.Checkpointed) decode(group.id(), at, bytes);
          checkpoints.add(found.checkpoint().at().index());
          if (durableState.covers(found.checkpoint().at())) {
            newest[0] = found;
          }
        });
    if (newest[0] == null && group.lowWater() > 0) {
      throw new DamagedLogException(
          "The log of region "
              + group.id()
              + " has no checkpoint that the durable position "
              + durableState
              + " of the state machine covers; its records before slot "
              + group.lowWater()
              + " were deleted when the state was newer");
    }
    return Optional.ofNullable(newest[0]);
  }

  /**
   * Passes on every record that the log has, in order, including those before the checkpoint, and
   * the last reservation at the end. Before the first {@link #append}; blocks while files are read.
   *
   * @throws DamagedLogException if a record cannot be decoded
   * @throws IOException if a record cannot be read
   */
  public void replay(Consumer<LogRecord> to) throws IOException {
    if (last.isAfter(Lsn.START)) {
      throw new IllegalStateException("The log has been added to.");
    }
    group.events(0, Long.MAX_VALUE, (kind, at, bytes) -> to.accept(decode(group.id(), at, bytes)));
    Optional<byte[]> reservation = group.state(RESERVATION);
    if (reservation.isPresent()) {
      to.accept(decode(group.id(), Position.NONE, reservation.get()));
    }
  }

  static LogRecord decode(GroupId group, Position at, byte[] bytes) throws DamagedLogException {
    try {
      return RecordCodec.read(Unpooled.wrappedBuffer(bytes));
    } catch (DecodeException e) {
      throw new DamagedLogException(
          "A log record of region " + group + " at " + at + " is not readable: " + e.getMessage());
    }
  }

  /**
   * Queues a record. Never blocks; the record is written after the next {@link #flush} at the
   * latest. Does nothing after the log has failed.
   *
   * <p>A replica that learns decisions can be faster than a disk, so the caller checks {@link
   * #hasRoom} before a step; what one step appends is always taken.
   *
   * @param lsn the previous one plus 1; the first after {@link #open} is 1
   * @param lazily whether it is enough that the record is durable a little later
   */
  public void append(Lsn lsn, LogRecord record, boolean lazily) {
    if (lsn.value() != last.value() + 1) {
      throw new IllegalStateException("Append out of order: " + lsn + " after " + last);
    }
    last = lsn;
    byte[] bytes = encode(record);
    synchronized (reports) {
      try {
        reports.numbers.add(append(record, bytes, lazily));
      } catch (IOException e) {
        // The log has failed, which it reports: it takes no further record.
        return;
      }
    }
  }

  private long append(LogRecord record, byte[] bytes, boolean lazily) throws IOException {
    if (record instanceof LogRecord.Reservation) {
      return group.putState(RESERVATION, bytes);
    }
    Position at = position(record);
    long number = group.appendEvent(record.kind().code(), at, bytes, lazily);
    if (record instanceof LogRecord.Checkpointed) {
      checkpoints.add(at.index() - 1);
    }
    return number;
  }

  private static Position position(LogRecord record) {
    if (record instanceof LogRecord.OfSlot ofSlot) {
      return ofSlot.at();
    }
    Position covered = ((LogRecord.Checkpointed) record).checkpoint().at();
    return new Position(covered.epoch(), covered.index() + 1);
  }

  private byte[] encode(LogRecord record) {
    buffer.clear();
    RecordCodec.write(record, buffer);
    byte[] bytes = ByteBufUtil.getBytes(buffer);
    if (buffer.capacity() > BUFFER_BYTES_MAX) {
      buffer = Unpooled.buffer(BUFFER_BYTES);
    }
    return bytes;
  }

  /**
   * Whether the queue of the node has capacity for another step of the replica (back-pressure).
   * Otherwise the caller waits for {@link Events#room}; no queued record is lost.
   */
  public boolean hasRoom() {
    return group.hasRoom();
  }

  /**
   * Releases what {@link io.quorate.rabia.core.step.Effect.Truncate} allows to delete, up to the
   * last checkpoint at or before the position, which stays. Takes effect after the next {@link
   * #flush} and after everything appended before. Never blocks.
   */
  public void truncate(Position through) {
    Long newest = null;
    while (!checkpoints.isEmpty() && checkpoints.peek() <= through.index()) {
      newest = checkpoints.remove();
    }
    if (newest == null) {
      return;
    }
    checkpoints.addFirst(newest);
    try {
      group.release(newest + 1);
    } catch (IOException e) {
      // The log has failed, which it reports.
      return;
    }
  }

  /** A reader of the decisions in the log, for use by any thread. */
  public DecisionReader decisions() {
    return new DecisionReader(group);
  }

  /** Wakes the log's thread if it is parked. One call after many steps is enough. */
  public void flush() {
    group.flush();
  }

  /** Bytes of the records that the log keeps for this replica. */
  public long liveBytes() {
    return group.liveBytes();
  }

  /** The length of the files of the log, with the records of all replicas of the node. */
  public long bytesOnDisk() {
    return node.counters().bytesOnDisk();
  }

  /** Ends the reports. What was appended becomes durable all the same. */
  @Override
  public void close() {
    group.close();
  }

  /** Its monitor guards the numbers. */
  private static final class Reports implements GroupLogEvents {
    private final Events events;
    private final RecordNumbers numbers = new RecordNumbers();
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private long durable;

    Reports(Events events) {
      this.events = events;
    }

    @Override
    public void durable(long through) {
      begun.complete(null);
      long before = durable;
      synchronized (this) {
        durable = numbers.lastUpTo(through);
      }
      if (durable > before) {
        events.durable(new Lsn(durable));
      }
    }

    @Override
    public void room() {
      events.room();
    }

    @Override
    public void failed(IOException cause) {
      begun.completeExceptionally(cause);
      events.failed(cause);
    }
  }
}

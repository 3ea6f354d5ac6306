package io.quorate.ratis.log;

import io.quorate.common.DamagedLogException;
import io.quorate.common.Failures;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.replication.log.GroupLog;
import io.quorate.replication.log.SharedLog;
import io.quorate.replication.threads.LoopTask;
import io.quorate.replication.threads.SharedLoops;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one replica in the log of its node. Thread-safe; methods block only where they say
 * so. Entries and states become durable in the order of the calls.
 *
 * <p>Entries are completed on the loops of the node, states and truncations on the log's thread.
 * Nothing that follows there may block.
 */
public final class EntryLog implements AutoCloseable {
  /**
   * A record that is not durable.
   *
   * @param index of the entry; {@link #NONE} of a state
   * @param isInLog whether it is an entry, and no other one has replaced it
   */
  private record Pending(
      long number, long index, boolean isInLog, CompletableFuture<Long> durable) {
    Pending truncated(long from) {
      return new Pending(number, index, isInLog && index < from, durable);
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(EntryLog.class);
  private static final long NONE = -1;

  private final GroupLog group;
  private final ReplicaStates states;
  private final LoopTask completion;

  /** Ordered by number. Guarded by itself, as {@link #durableNumber}. */
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();

  /** Those that are durable and not completed yet. */
  private final Queue<Pending> durableEntries = new ConcurrentLinkedQueue<>();

  private long durableNumber;

  /** Written with the lock of {@link #pending}. */
  private volatile long flushIndex;

  private volatile Runnable whenDurable = () -> {};
  private volatile Runnable whenRoom = () -> {};
  private Consumer<IOException> whenFailed = cause -> {};
  private IOException failure;

  private EntryLog(OpeningReports opening, GroupLog group, SharedLoops loops) throws IOException {
    this.group = group;
    this.completion = new LoopTask(loops, new Completion());
    this.durableNumber = group.durable();
    this.states = new ReplicaStates(this::put, group::state);
    this.flushIndex = group.durableEntry();
    opening.opened(this);
  }

  /**
   * Opens the log of a replica, or begins it. Blocks until all of it is durable.
   *
   * @param loops complete entries
   * @param firstTerm the term in which a new replica begins, without a vote: its group elects
   *     leaders for greater terms only
   * @throws io.quorate.replication.log.DamagedGroupException if a record is missing that may have
   *     been durable
   * @throws DamagedLogException if it is not a log of Raft
   * @throws IOException if the log of the node has failed
   */
  public static EntryLog open(SharedLog node, GroupId id, long firstTerm, SharedLoops loops)
      throws IOException {
    OpeningReports opening = new OpeningReports();
    Optional<GroupLog> found = node.open(id, Runnable::run, opening);
    GroupLog group = found.isPresent() ? found.get() : node.create(id, 0, Runnable::run, opening);
    try {
      EntryLog opened = new EntryLog(opening, group, loops);
      opened.begin(firstTerm);
      return opened;
    } catch (IOException | RuntimeException e) {
      group.close();
      throw e;
    }
  }

  private void begin(long firstTerm) throws IOException {
    if (!states.isBegun()) {
      requireSound(group.highestIndex() < 0, "It has entries, and no term.");
      states.setVote(RaftStorageMetadata.valueOf(firstTerm, null));
    }
    Optional<Position> last = group.position(lastIndex());
    requireSound(
        last.isEmpty() || last.get().epoch() <= states.vote().getTerm(),
        "Its last entry is of a later term than its vote.");
    // Of an earlier use of the group, there may be records that are on their way.
    CompletableFuture<Long> durable = pending(group.sequence(), lastIndex());
    group.flush();
    await(durable);
  }

  private void requireSound(boolean holds, String what) throws DamagedLogException {
    if (!holds) {
      throw new DamagedLogException(
          String.format(Locale.ROOT, "The log of region %s is damaged. %s", group.id(), what));
    }
  }

  /**
   * Compares the log with the state of the replica, and removes what an interrupted installation of
   * a snapshot has left.
   *
   * @param state the last position that is durable in the state
   * @throws DamagedLogException if the log ends before the state, or begins after it: one of the
   *     two is an older one
   */
  public void require(Position state) throws IOException {
    boolean isUsed = group.highestIndex() >= 0;
    long installing = states.installing().orElse(NONE);
    if (isUsed && lastIndex() < state.index() && installing < state.index()) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The log of region %s ends with entry %d, and the state has entries up to %d: the log"
                  + " is an older one, and entries that this node acknowledged may be lost",
              group.id(),
              lastIndex(),
              state.index()));
    }
    if (group.lowWater() > state.index() + 1) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The log of region %s begins with entry %d, and the durable state ends with %d: the"
                  + " entries between were deleted when the state was newer",
              group.id(),
              group.lowWater(),
              state.index()));
    }
    if (lastIndex() < state.index()) {
      release(state.index() + 1);
    }
  }

  /** What the replica has to know beside its entries. */
  public ReplicaStates states() {
    return states;
  }

  /**
   * Sets what runs when there is room again, and what is told that nothing more becomes durable, at
   * once if that was before. Both run on the log's thread.
   */
  public void listen(Runnable room, Consumer<IOException> failed) {
    whenRoom = room;
    IOException before;
    synchronized (pending) {
      whenFailed = failed;
      before = failure;
    }
    if (before != null) {
      failed.accept(before);
    }
  }

  /** Sets what runs on a loop when more entries are durable. */
  public void whenDurable(Runnable action) {
    whenDurable = action;
  }

  // Appending

  /**
   * Appends an entry. Needs {@link #flush}.
   *
   * @return completes with the index when it is durable
   * @throws IOException if the log has failed
   */
  public CompletableFuture<Long> append(LogEntryProto entry) throws IOException {
    byte[] bytes = entry.toByteArray();
    LogEntryProto kept = LogEntries.decode(bytes);
    Position at = new Position(entry.getTerm(), entry.getIndex());
    synchronized (pending) {
      requireOpen();
      return pending(group.appendEntry(at, bytes, kept), entry.getIndex());
    }
  }

  private CompletableFuture<Long> put(int key, byte[] value) throws IOException {
    CompletableFuture<Long> durable;
    synchronized (pending) {
      requireOpen();
      durable = pending(group.putState(key, value), NONE);
    }
    group.flush();
    return durable;
  }

  /**
   * Removes the entries from an index on. Needs {@link #flush}.
   *
   * @return completes with the index when this is durable
   */
  public CompletableFuture<Long> truncate(long from) throws IOException {
    synchronized (pending) {
      requireOpen();
      long number = group.truncate(from);
      flushIndex = Math.min(flushIndex, from - 1);
      List<Pending> former = new ArrayList<>(pending);
      pending.clear();
      former.forEach(each -> pending.add(each.truncated(from)));
      return pending(number, NONE).thenApply(none -> from);
    }
  }

  /** The group may be in use again by another object. */
  private void requireOpen() throws IOException {
    if (failure != null) {
      throw new IOException("The log takes no records any more: " + failure.getMessage(), failure);
    }
  }

  /** The records that are not durable are those after {@link #durableNumber}. */
  private CompletableFuture<Long> pending(long number, long index) throws IOException {
    CompletableFuture<Long> durable = new CompletableFuture<>();
    synchronized (pending) {
      requireOpen();
      if (number <= durableNumber) {
        flushIndex = Math.max(flushIndex, index);
        durable.complete(index);
      } else {
        pending.add(new Pending(number, index, index != NONE, durable));
      }
    }
    return durable;
  }

  /** Completes when an entry that was appended before is durable. */
  public CompletableFuture<Long> durable(long index) {
    synchronized (pending) {
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      return pending.stream()
          .filter(each -> each.isInLog() && each.index() == index)
          .findFirst()
          .map(Pending::durable)
          .orElseGet(() -> CompletableFuture.completedFuture(index));
    }
  }

  /**
   * Removes the entries below an index, which is the first one then, or will be. They are durable
   * in the state.
   */
  public void release(long mark) throws IOException {
    synchronized (pending) {
      requireOpen();
      group.release(mark);
      flushIndex = Math.max(flushIndex, mark - 1);
    }
    group.flush();
  }

  /** Has what was appended become durable soon. */
  public void flush() {
    group.flush();
  }

  /** Whether entries may be appended now; if not, {@link #listen} says when they may. */
  public boolean hasRoom() {
    return group.hasRoom();
  }

  // Reading

  /** The index of the first entry, if there is one. */
  public long firstIndex() {
    return group.lowWater();
  }

  /** The index of the last entry; that before the first one if there is none. */
  public long lastIndex() {
    return group.nextIndex() - 1;
  }

  /** The index of the last entry; -1 if there is none. */
  public long lastEntry() {
    return group.lastEntry();
  }

  /** Term and index of the last entry; empty if there is none. */
  public Optional<TermIndex> last() {
    return group.ends().map(ends -> termIndex(ends.last()));
  }

  /** The index of the first entry; empty if there is none. */
  public OptionalLong first() {
    return group.ends().map(ends -> OptionalLong.of(ends.first())).orElse(OptionalLong.empty());
  }

  /** The last entry up to which all are durable. */
  public long flushIndex() {
    return flushIndex;
  }

  /** Term and index of an entry; empty if there is none. */
  public Optional<TermIndex> termIndex(long index) {
    return group.position(index).map(EntryLog::termIndex);
  }

  /** A position as Ratis names it. */
  public static TermIndex termIndex(Position at) {
    return TermIndex.valueOf(at.epoch(), at.index());
  }

  /** An entry; empty if there is none, or it is not in memory. */
  public Optional<LogEntryProto> inMemory(long index) {
    return group.form(index).map(LogEntryProto.class::cast);
  }

  /** An entry; empty if there is none. Blocks if it is not in memory. */
  public Optional<LogEntryProto> entry(long index) throws IOException {
    Optional<LogEntryProto> present = inMemory(index);
    if (present.isPresent()) {
      return present;
    }
    Optional<byte[]> bytes = group.entry(index);
    return bytes.isPresent() ? Optional.of(LogEntries.decode(bytes.get())) : Optional.empty();
  }

  /** The length of an entry in bytes; 0 if there is none. */
  public int length(long index) {
    return group.length(index);
  }

  /** Bytes of the entries in the log. */
  public long liveBytes() {
    return group.liveBytes();
  }

  /** The bytes that the group may have in a log that is full. */
  public long shareBytes() {
    return group.shareBytes();
  }

  /** Ends the reports. What was appended becomes durable all the same. */
  @Override
  public void close() {
    fail(new IOException("The log is closed."), false);
    group.close();
  }

  // Reports

  void reachedDisk(long through) {
    List<Pending> states = new ArrayList<>();
    boolean hasEntries = false;
    synchronized (pending) {
      durableNumber = Math.max(durableNumber, through);
      while (!pending.isEmpty() && pending.peek().number() <= through) {
        Pending next = pending.remove();
        if (next.index() == NONE) {
          states.add(next);
        } else {
          durableEntries.add(next);
          hasEntries = true;
        }
        if (next.isInLog()) {
          flushIndex = Math.max(flushIndex, next.index());
        }
      }
    }
    if (hasEntries) {
      completion.wake();
    }
    completeAll(states);
  }

  /** Completes entries. */
  private final class Completion implements LoopTask.Step {
    @Override
    public LoopTask.Next run(boolean mayBlock) {
      List<Pending> done = new ArrayList<>();
      for (Pending next = durableEntries.poll(); next != null; next = durableEntries.poll()) {
        done.add(next);
      }
      completeAll(done);
      call(whenDurable);
      return LoopTask.Next.WAIT;
    }

    @Override
    public void rejected() {
      run(false);
    }
  }

  private void completeAll(List<Pending> done) {
    call(() -> done.forEach(each -> each.durable().complete(each.index())));
  }

  void hasRoomAgain() {
    call(whenRoom);
  }

  /** Thrown on, an exception would end the log of all replicas. */
  private void call(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOG.error("What follows a report of the log has failed region={}", group.id(), e);
    }
  }

  void fail(IOException cause, boolean isTold) {
    List<Pending> lost;
    Consumer<IOException> told;
    synchronized (pending) {
      if (failure != null) {
        return;
      }
      failure = cause;
      lost = new ArrayList<>(pending);
      pending.clear();
      told = whenFailed;
    }
    // First, so that nothing is acknowledged after it.
    if (isTold) {
      told.accept(cause);
    }
    for (Pending each : lost) {
      // An entry of a log that is closed has no outcome here.
      if (isTold || each.index() == NONE) {
        each.durable().completeExceptionally(cause);
      }
    }
  }

  /**
   * Waits until a record is durable. Blocks.
   *
   * @throws IOException if the log has failed
   */
  static void await(CompletableFuture<?> durable) throws IOException {
    try {
      durable.get();
    } catch (ExecutionException e) {
      throw new IOException("The log has failed.", Failures.unwrap(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while a record was being made durable.");
    }
  }
}

package org.apache.ratis.server.raftlog.segmented;

import io.quorate.common.LogLimit;
import io.quorate.ratis.log.EntryLog;
import io.quorate.ratis.log.ReplicaParts;
import io.quorate.ratis.patches.InPlaceOfRatis;
import io.quorate.replication.threads.LoopTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.CommitIndex;
import org.apache.ratis.server.metrics.RaftLogMetrics;
import org.apache.ratis.server.metrics.RaftLogMetricsBase;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.LogEntryHeader;
import org.apache.ratis.server.raftlog.RaftLogBase;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageImpl;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.util.AutoCloseableLock;

/**
 * The log of a replica, in the log of its node. It takes the place of the class of this name in
 * Ratis 3.3.0, a log of a group's own with a thread, files and an fsync each, which tells a torn
 * write from damage by zeros, and does not notice a file that is missing. See ADR 0085.
 *
 * <p>Upstream: not reported. Fails without it: {@code RatisEngineTest}. Can go when Ratis has a
 * setting for the class of the log.
 *
 * <p>Ratis appends, truncates and purges under the write lock. Nothing else waits for it: readers
 * see what {@link EntryLog} has at the time.
 */
@InPlaceOfRatis
@SuppressWarnings("try") // a lock is held, not used
public final class SegmentedRaftLog extends RaftLogBase {
  private static final LogLimit FAILING = new LogLimit();

  /** When the commit index is tried again after a failure. */
  private static final long RETRY_MILLIS = 100;

  private final EntryLog log;
  private final ReplicaParts parts;
  private final StateMachine stateMachine;
  private final Consumer<LogEntryProto> notifyTruncated;
  private final RaftLogMetricsBase metrics;
  private final LoopTask commit;

  private SegmentedRaftLog(Builder from) {
    super(from.member, from.snapshotIndex, from.properties);
    this.stateMachine = from.server.getStateMachine();
    this.parts = (ReplicaParts) stateMachine;
    this.log = parts.log();
    this.notifyTruncated = from.notifyTruncated;
    this.metrics = new RaftLogMetricsBase(from.member);
    ((RaftStorageImpl) from.storage).bind(log.states());
    this.commit = new LoopTask(parts.loops(), mayBlock -> advanceCommit(from.server));
    log.whenDurable(
        () -> {
          if (mayCommit(from.server)) {
            commit.wake();
          }
        });
  }

  private LoopTask.Next advanceCommit(RaftServer.Division division) {
    try {
      CommitIndex.advance(division);
    } catch (RuntimeException e) {
      FAILING.log(
          leftOut ->
              LOG.error(
                  "{}: the commit index could not advance{}",
                  division.getMemberId(),
                  LogLimit.text(leftOut),
                  e));
      // Entries may have to be read from the disk.
      commit.wakeAfter(RETRY_MILLIS);
    }
    return LoopTask.Next.WAIT;
  }

  /**
   * More of the log may be committed, if this replica leads: its commit index advances soon. Any
   * thread; does not block.
   */
  public void advanceCommitSoon() {
    commit.wake();
  }

  /**
   * Whether the commit index can advance because more entries are durable here: otherwise it is not
   * computed. To be called after the flush index was written; does not block.
   *
   * <p>An entry is committed by the last of a majority that has it. If that is this replica, the
   * match index of a follower among them was written before, and is read here after the flush index
   * was written; if it is a follower, its appender reports the match index, whatever this replica
   * has, and the flush index is read then. Both read the commit index last, which does not reach
   * the entry before one of them was reported.
   *
   * <p>The members are written after the entry that changes them. The last change to one member
   * comes from a joint configuration, in which no report is left out; the commit index is computed
   * after the change, since the change has its monitor.
   */
  private boolean mayCommit(RaftServer.Division division) {
    long[] matched = division.getInfo().getFollowerMatchIndices();
    if (matched == null) {
      // It does not lead, or it does not yet: Ratis ignores a report that does not concern it.
      return true;
    }
    RaftConfiguration members = division.getRaftConf();
    return members.getCurrentPeers().size() == 1
        || !members.getPreviousPeers().isEmpty()
        || LongStream.of(matched).anyMatch(index -> index > getLastCommittedIndex());
  }

  /** Tells Ratis the members, and what the state does not have of the log. */
  @Override
  protected void openImpl(long lastIndexInSnapshot, Consumer<LogEntryProto> consumer)
      throws IOException {
    log.states().configuration().ifPresent(consumer);
    // The configurations of applied entries are among the states.
    long first = Math.max(lastIndexInSnapshot + 1, log.firstIndex());
    for (long index = first; index <= log.lastIndex(); index++) {
      consumer.accept(log.entry(index).orElseThrow());
    }
  }

  // Reading

  /** Readers do not wait for those who append. */
  @Override
  public AutoCloseableLock readLock() {
    return null;
  }

  @Override
  public RaftLogMetrics getRaftLogMetrics() {
    return metrics;
  }

  @Override
  public long getStartIndex() {
    return log.first().orElse(INVALID_LOG_INDEX);
  }

  @Override
  public TermIndex getTermIndex(long index) {
    checkLogState();
    return log.termIndex(index).orElse(null);
  }

  @Override
  public TermIndex getLastEntryTermIndex() {
    checkLogState();
    return log.last().orElse(null);
  }

  /** As in Ratis, which creates objects for it: it is read many times a second. */
  @Override
  public long getNextIndex() {
    checkLogState();
    long last = log.lastEntry();
    return (last < 0 ? getLastCommittedIndex() : last) + 1;
  }

  @Override
  public LogEntryProto get(long index) throws RaftLogIOException {
    checkLogState();
    try {
      return log.entry(index).orElse(null);
    } catch (IOException e) {
      throw new RaftLogIOException("Entry " + index + " cannot be read.", e);
    }
  }

  /** An entry; empty if there is none, or if it is only on disk. Any thread; does not block. */
  public Optional<LogEntryProto> inMemory(long index) {
    return log.inMemory(index);
  }

  @Override
  public EntryWithData getEntryWithData(long index) throws RaftLogIOException {
    LogEntryProto entry = get(index);
    if (entry == null) {
      throw new RaftLogIOException("Entry " + index + " is not in the log.");
    }
    return newEntryWithData(entry, null);
  }

  /** Ratis reads what is being committed, which is in memory as a rule. */
  @Override
  public LogEntryHeader[] getEntries(long startIndex, long endIndex) {
    checkLogState();
    long end = Math.min(endIndex, log.lastIndex() + 1);
    if (startIndex < log.firstIndex()) {
      throw new IndexOutOfBoundsException(
          "Entry " + startIndex + " is not in the log, which begins at " + log.firstIndex());
    }
    LogEntryHeader[] headers = new LogEntryHeader[(int) Math.max(0, end - startIndex)];
    for (int i = 0; i < headers.length; i++) {
      try {
        headers[i] = LogEntryHeader.valueOf(get(startIndex + i));
      } catch (RaftLogIOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return headers;
  }

  @Override
  public long getFlushIndex() {
    return log.flushIndex();
  }

  // Appending

  @Override
  protected CompletableFuture<Long> appendEntryImpl(
      LogEntryProto entry, TransactionContext context) {
    checkLogState();
    try (AutoCloseableLock lock = writeLock()) {
      CompletableFuture<Long> durable = append(entry);
      log.flush();
      return durable;
    }
  }

  private CompletableFuture<Long> append(LogEntryProto entry) {
    validateLogEntry(entry);
    try {
      CompletableFuture<Long> durable = log.append(entry);
      parts.logged(entry.getIndex(), entry.getSerializedSize());
      return durable;
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  protected List<CompletableFuture<Long>> appendImpl(List<LogEntryProto> entries) {
    checkLogState();
    if (entries == null || entries.isEmpty()) {
      return List.of();
    }
    try (AutoCloseableLock lock = writeLock()) {
      List<CompletableFuture<Long>> durable = new ArrayList<>(entries.size() + 1);
      int known = known(entries);
      if (known > 0) {
        durable.add(log.durable(entries.get(known - 1).getIndex()));
      }
      if (known < entries.size()) {
        long next = entries.get(known).getIndex();
        if (next <= log.lastIndex()) {
          durable.add(replace(next));
        }
        entries.subList(known, entries.size()).forEach(entry -> durable.add(append(entry)));
      }
      log.flush();
      return durable;
    }
  }

  /** How many entries the log has already, or has had before it was purged. */
  private int known(List<LogEntryProto> entries) {
    int known = 0;
    while (known < entries.size() && isKnown(entries.get(known))) {
      known++;
    }
    return known;
  }

  private boolean isKnown(LogEntryProto entry) {
    return entry.getIndex() < log.firstIndex()
        || log.termIndex(entry.getIndex()).filter(TermIndex.valueOf(entry)::equals).isPresent();
  }

  /** Removes entries that a leader's replace (Raft, section 5.3); those who wait are told. */
  private CompletableFuture<Long> replace(long from) {
    for (long index = from; index <= log.lastIndex(); index++) {
      try {
        log.entry(index).ifPresent(notifyTruncated);
      } catch (IOException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
    return truncateImpl(from);
  }

  @Override
  protected CompletableFuture<Long> truncateImpl(long index) {
    checkLogState();
    try (AutoCloseableLock lock = writeLock()) {
      stateMachine.data().truncate(index);
      CompletableFuture<Long> durable = log.truncate(index);
      log.flush();
      return durable;
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  // Purging

  /** Keeps the last entry, so that a leader finds the term before the next one. */
  @Override
  protected CompletableFuture<Long> purgeImpl(long index) {
    long purged = Math.min(index, log.lastIndex() - 1);
    try (AutoCloseableLock lock = writeLock()) {
      updateSnapshotIndexFromStateMachine();
      log.release(purged + 1);
      return CompletableFuture.completedFuture(purged);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<Long> onSnapshotInstalled(long lastSnapshotIndex) {
    updateSnapshotIndex(lastSnapshotIndex);
    try (AutoCloseableLock lock = writeLock()) {
      log.release(lastSnapshotIndex + 1);
      updatePurgeIndex(lastSnapshotIndex);
      return CompletableFuture.completedFuture(lastSnapshotIndex);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  // Term and vote

  @Override
  public void persistMetadata(RaftStorageMetadata metadata) throws IOException {
    log.states().setVote(metadata);
  }

  @Override
  public RaftStorageMetadata loadMetadata() {
    return log.states().vote();
  }

  @Override
  public void close() throws IOException {
    try (AutoCloseableLock lock = writeLock()) {
      super.close();
    }
    log.close();
    metrics.unregister();
  }

  public static Builder newBuilder() {
    return new Builder();
  }

  /** What Ratis passes to a log. */
  public static final class Builder {
    private RaftGroupMemberId member;
    private RaftServer.Division server;
    private Consumer<LogEntryProto> notifyTruncated;
    private RaftStorage storage;
    private LongSupplier snapshotIndex;
    private RaftProperties properties;

    private Builder() {}

    public Builder setMemberId(RaftGroupMemberId id) {
      member = id;
      return this;
    }

    public Builder setServer(RaftServer.Division division) {
      server = division;
      return this;
    }

    public Builder setNotifyTruncatedLogEntry(Consumer<LogEntryProto> notify) {
      notifyTruncated = notify;
      return this;
    }

    /** Not used: see {@link CommitIndex#advance}. */
    public Builder setSubmitUpdateCommitEvent(Runnable submit) {
      return this;
    }

    /** Not used: the context of an entry is created when it is applied. */
    public Builder setGetTransactionContext(
        BiFunction<LogEntryProto, Boolean, TransactionContext> get) {
      return this;
    }

    public Builder setStorage(RaftStorage files) {
      storage = files;
      return this;
    }

    public Builder setSnapshotIndexSupplier(LongSupplier supplier) {
      snapshotIndex = supplier;
      return this;
    }

    public Builder setProperties(RaftProperties from) {
      properties = from;
      return this;
    }

    public SegmentedRaftLog build() {
      return new SegmentedRaftLog(this);
    }
  }
}

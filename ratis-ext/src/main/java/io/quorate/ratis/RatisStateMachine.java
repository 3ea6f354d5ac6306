package io.quorate.ratis;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.consensus.snapshot.SnapshotFetcher;
import io.quorate.consensus.snapshot.SnapshotSender;
import io.quorate.ratis.flow.UnappliedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.TransactionContexts;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates between Ratis' state machine and ours. Ratis calls it on one updater thread a group;
 * it hands batches on in the order of the log and waits there, and only there, while the state
 * machine has no room.
 */
final class RatisStateMachine extends BaseStateMachine {
  /** What the group needs to hear from Ratis. */
  interface Events {
    /** This replica leads, and has committed an entry in its term. */
    void leads();

    void notLeader();

    /** Entries from {@code first} on leave the log; others may come in their place afterwards. */
    void truncated(long first);

    /** More of the log was handed over. */
    void advanced();

    void failed(ConsensusException.Fatal reason);
  }

  private static final Logger LOG = LoggerFactory.getLogger(RatisStateMachine.class);
  private static final CompletableFuture<Message> DONE =
      CompletableFuture.completedFuture(Message.EMPTY);

  private final ReplicatedStateMachine machine;
  private final SnapshotSender sender;
  private final SnapshotInstallation installation;
  private final Executor installs;
  private final Executor housekeeping;
  private final Events events;
  private final UnappliedLog unapplied;
  private final CompletableFuture<Void> closing = new CompletableFuture<>();
  private final AtomicBoolean failed = new AtomicBoolean();

  /** Set on the thread of the log's writer, before it does anything after the failed write. */
  private volatile boolean logFailed;

  /** Guards the order of batches against the installation of a snapshot. */
  private final Object handOver = new Object();

  /** Written under the lock. */
  private volatile Position handedOver = Position.NONE;

  /**
   * @param installs for replacing the state, which may take long
   * @param housekeeping for what waits for Ratis' locks
   */
  RatisStateMachine(
      ReplicatedStateMachine machine,
      SnapshotSender sender,
      SnapshotInstallation.Source snapshots,
      Executor installs,
      Executor housekeeping,
      UnappliedLog unapplied,
      Events events) {
    this.machine = machine;
    this.sender = sender;
    this.installs = installs;
    this.housekeeping = housekeeping;
    this.installation = new SnapshotInstallation(snapshots, this::install);
    this.unapplied = unapplied;
    this.events = events;
  }

  /**
   * Opens the state. To be called before Ratis' own member is made, which would keep its directory
   * locked if the state did not open.
   */
  void open() throws IOException {
    Position durable = machine.open();
    synchronized (handOver) {
      handedOver = durable;
    }
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
      throws IOException {
    super.initialize(server, group, storage);
    Position durable;
    synchronized (handOver) {
      durable = handedOver;
    }
    if (durable.index() >= 0) {
      setLastAppliedTermIndex(termIndex(durable));
    }
    getLifeCycle().startAndTransition(() -> {});
  }

  /** Where Ratis starts to replay, and up to where it may forget: what survives power loss. */
  @Override
  public SnapshotInfo getLatestSnapshot() {
    Position durable = machine.durable();
    return durable.index() < 0 ? null : new DurableState(termIndex(durable));
  }

  /** The leader's side of a proposal, before it is in the log. */
  @Override
  public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
    return TransactionContext.newBuilder()
        .setStateMachine(this)
        .setClientRequest(request)
        .setStateMachineContext(request.getMessage())
        .build();
  }

  /**
   * An entry of a leader is being added to this replica's log, or is about to be applied. Ratis
   * keeps what is returned here, with the entry in it, until the entry is applied, and for ever
   * where a snapshot is installed instead; that would be heap without bound (decision 0022).
   */
  @Override
  public TransactionContext startTransaction(LogEntryProto entry, RaftPeerRole role) {
    unapplied.logged(entry.getIndex(), entry.getSerializedSize());
    try {
      TransactionContexts.forget(division(), entry);
    } catch (IOException e) {
      LOG.debug("An entry came to a member that is being closed", e);
    }
    return super.startTransaction(entry, role);
  }

  /** What this replica was sent and has not handed to the state machine. Any thread. */
  UnappliedLog unapplied() {
    return unapplied;
  }

  /** The last moment at which a proposal is known not to be in the log. */
  @Override
  public TransactionContext preAppendTransaction(TransactionContext transaction) {
    if (transaction.getStateMachineContext() instanceof PendingEntry entry) {
      entry.markAppended();
    }
    return transaction;
  }

  /**
   * Called under the log's lock, before whatever replaces the entries is in the log.
   *
   * @param first the first index that is removed, whatever Ratis' own description says
   */
  @Override
  public CompletableFuture<Void> truncate(long first) {
    events.truncated(first);
    unapplied.truncated(first);
    return super.truncate(first);
  }

  /** Called by Ratis' log writer, a thread for each group, before each fsync. */
  @Override
  public CompletableFuture<Void> flush(long index) {
    RaftPoints.BEFORE_SYNC.passed(getGroupId());
    return super.flush(index);
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    Position position = new Position(entry.getTerm(), entry.getIndex());
    CommittedBatch.Results results =
        transaction.getStateMachineContext() instanceof PendingEntry pending
            ? pending.resultsAt(position)
            : CommittedBatch.Results.UNWANTED;
    ByteBuffer bytes = entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer();
    handOver(new CommittedBatch(position, EntryCodec.decode(bytes), results));
    return DONE;
  }

  /** Entries of Ratis' own, such as a new leader's first, take up positions too. */
  @Override
  public void notifyTermIndexUpdated(long term, long index) {
    handOver(
        new CommittedBatch(new Position(term, index), List.of(), CommittedBatch.Results.UNWANTED));
  }

  private void handOver(CommittedBatch batch) {
    CompletableFuture<Void> room;
    RaftPoints.BEFORE_HAND_OVER.passed(getGroupId());
    synchronized (handOver) {
      Position position = batch.position();
      // Below: what an installed snapshot already contains.
      if (closing.isDone() || handedOver.covers(position)) {
        return;
      }
      room = machine.committed(batch).toCompletableFuture();
      handedOver = position;
      updateLastAppliedTermIndex(position.epoch(), position.index());
    }
    unapplied.handedOver(batch.position().index());
    events.advanced();
    awaitRoom(room);
  }

  private void awaitRoom(CompletableFuture<Void> room) {
    if (room.isDone() && !room.isCompletedExceptionally()) {
      return;
    }
    try {
      CompletableFuture.anyOf(room, closing).get();
    } catch (ExecutionException e) {
      fail(new ConsensusException.Fatal("The state machine failed.", e.getCause()));
      // Ends the updater, and with it this member: nothing is handed on past what failed.
      throw new IllegalStateException("The state machine failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public CompletableFuture<Message> queryStale(Message request, long minIndex) {
    return sender
        .answer(request.getContent().asReadOnlyByteBuffer())
        .thenApply(answer -> Message.valueOf(UnsafeByteOperations.unsafeWrap(answer)));
  }

  @Override
  public CompletableFuture<TermIndex> notifyInstallSnapshotFromLeader(
      RoleInfoProto role, TermIndex firstInLog) {
    RaftPeerId leader = RaftPeerId.valueOf(role.getFollowerInfo().getLeaderInfo().getId().getId());
    try {
      RaftServer.Division division = division();
      RaftLog log = division.getRaftLog();
      long committed = log.getLastCommittedIndex();
      if (committed >= firstInLog.getIndex()) {
        // A leader whose sender met an error has lost track of how far this replica is, and
        // announces a snapshot to one that is not behind. From now on Ratis tells it so.
        log.updateSnapshotIndex(committed);
        return afterThisCall(division, failed("No snapshot is needed beyond index " + committed));
      }
      return afterThisCall(division, installation.begin(leader, firstInLog));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Ratis 3.3.0 trips over an answer that is there before it has left the division's monitor. */
  private CompletableFuture<TermIndex> afterThisCall(
      RaftServer.Division division, CompletableFuture<TermIndex> answer) {
    return answer.whenCompleteAsync(
        (position, failure) -> {
          synchronized (division) {
            // The call that asked has ended.
          }
        },
        housekeeping);
  }

  private CompletableFuture<TermIndex> install(SnapshotFetcher.Fetched snapshot) {
    try {
      RaftServer.Division division = division();
      RaftLog log = division.getRaftLog();
      TermIndex last = termIndex(snapshot.position());
      if (log.getNextIndex() <= last.getIndex()) {
        return replaceState(snapshot);
      }
      if (log.contains(last) || hasHandedOver(snapshot.position())) {
        // What goes on beyond the snapshot may have been acknowledged, and would not survive its
        // installation. But now it is known that everything up to here is committed.
        log.updateCommitIndex(last.getIndex(), division.getInfo().getCurrentTerm(), false);
        return failed("No snapshot is needed; this replica has the log up to " + last);
      }
      // This log differs from what is committed there, so the rest of it never will be.
      // The cut ends on the thread of the log's writer, which has other things to do.
      return log.truncate(last.getIndex())
          .thenComposeAsync(cut -> replaceState(snapshot), installs);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private boolean hasHandedOver(Position position) {
    synchronized (handOver) {
      return handedOver.covers(position);
    }
  }

  /** Up to where the state machine was handed the log, or a snapshot. Any thread. */
  Position handedOver() {
    return handedOver;
  }

  private CompletableFuture<TermIndex> replaceState(SnapshotFetcher.Fetched snapshot) {
    synchronized (handOver) {
      if (closing.isDone()) {
        return failed("This replica is closing.");
      }
      if (!hasHandedOver(snapshot.position())) {
        try {
          machine.install(snapshot.directory(), snapshot.position());
        } catch (IOException e) {
          return CompletableFuture.failedFuture(e);
        }
        handedOver = snapshot.position();
      }
    }
    unapplied.handedOver(snapshot.position().index());
    events.advanced();
    // Ratis forgets the log up to the position that it is told, so that must be durable.
    return machine.flush().thenApply(RatisStateMachine::termIndex).toCompletableFuture();
  }

  private static CompletableFuture<TermIndex> failed(String why) {
    return CompletableFuture.failedFuture(new IOException(why));
  }

  private RaftServer.Division division() throws IOException {
    return getServer().join().getDivision(getGroupId());
  }

  /**
   * Whether the log must not be cut now, nor this replica lead: a truncation that belongs to the
   * installation may be under way.
   */
  boolean isInstalling() {
    return installation.isUnderWay();
  }

  /** To be called many times a second while a snapshot is installed. May wait for Ratis' locks. */
  void remindOfInstallation() {
    if (installation.isUnderWay()) {
      installation.remind(getServer().join(), getGroupId());
    }
  }

  /** Ratis pauses and reloads around a snapshot; ours is in place by then. */
  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() {
    setLastAppliedTermIndex(termIndex(machine.durable()));
    getLifeCycle().transition(LifeCycle.State.STARTING);
    getLifeCycle().transition(LifeCycle.State.RUNNING);
    installation.takenUp();
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    events.notLeader();
  }

  @Override
  public void notifyLeaderReady() {
    events.leads();
  }

  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    logFailed = true;
    fail(new ConsensusException.Fatal("The Raft log could not be written.", cause));
  }

  /** Whether no write to the log has failed. Any thread. */
  boolean hasLog() {
    return !logFailed;
  }

  /** To be called before Ratis closes this member: batches are no longer handed on. */
  void startClosing() {
    closing.complete(null);
    synchronized (handOver) {
      // Whoever was handing over has finished.
    }
  }

  /** Called by Ratis at the end of its updater thread, which ends early only when it failed. */
  @Override
  public void close() {
    if (!closing.isDone()) {
      fail(new ConsensusException.Fatal("The Raft log could not be applied; see the log.", null));
    }
  }

  /** The first reason is the true one; what comes after follows from it. */
  private void fail(ConsensusException.Fatal reason) {
    if (failed.compareAndSet(false, true)) {
      events.failed(reason);
    }
  }

  private static TermIndex termIndex(Position position) {
    return TermIndex.valueOf(position.epoch(), position.index());
  }

  /** A "snapshot" in Ratis' words: it has no files of Ratis' own. */
  private record DurableState(TermIndex termIndex) implements SnapshotInfo {
    @Override
    public TermIndex getTermIndex() {
      return termIndex;
    }

    @Override
    public List<FileInfo> getFiles() {
      return List.of();
    }
  }
}

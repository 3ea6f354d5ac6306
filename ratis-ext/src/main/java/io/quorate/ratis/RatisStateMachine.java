package io.quorate.ratis;

import io.quorate.common.Failures;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.ratis.flow.UnappliedLog;
import io.quorate.ratis.log.EntryLog;
import io.quorate.ratis.log.ReplicaParts;
import io.quorate.replication.snapshot.SnapshotFetcher;
import io.quorate.replication.threads.LoopTask;
import io.quorate.replication.threads.SharedLoops;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.FileListSnapshotInfo;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adapts our state machine to the interface of Ratis, which calls it for one entry of a group at a
 * time. It delivers batches in the order of the log, and says when the next one may be delivered.
 */
final class RatisStateMachine extends BaseStateMachine implements ReplicaParts {
  /** The events of Ratis that the group needs. */
  interface Events {
    /** This replica leads, and has committed an entry in its term. */
    void leads();

    void notLeader();

    /** The entries from {@code first} on leave the log; others may replace them afterwards. */
    void truncated(long first);

    /** More of the log was delivered to the state machine. */
    void advanced();

    /**
     * A configuration is committed; during a change it has the former members too.
     *
     * @param index of its entry
     */
    void membersChanged(long index, List<NodeId> members);

    /** The other members have removed this replica, and Ratis closes it. */
    void removed();

    void failed(ConsensusException.Fatal reason);
  }

  private static final Logger LOG = LoggerFactory.getLogger(RatisStateMachine.class);
  private static final CompletableFuture<Message> DONE =
      CompletableFuture.completedFuture(Message.EMPTY);

  private final ReplicatedStateMachine machine;
  private final EntryLog log;
  private final SnapshotInstallation installation;
  private final SharedLoops loops;
  private final Executor blocking;
  private final Executor installs;
  private final Events events;
  private final UnappliedLog unapplied;
  private final CompletableFuture<Void> closing = new CompletableFuture<>();
  private final AtomicBoolean failed = new AtomicBoolean();

  /** Set before anything else follows from the failure. */
  private volatile boolean logFailed;

  private volatile boolean isRemoved;
  private volatile RaftGroupMemberId member;
  private volatile Runnable applyMore = () -> {};

  /** Completes when the state machine takes another batch. */
  private volatile CompletableFuture<Void> capacity = CompletableFuture.completedFuture(null);

  /** Guards the order of batches against the installation of a snapshot. */
  private final Object deliveryLock = new Object();

  /** Written under {@link #deliveryLock}. */
  private volatile Position delivered = Position.NONE;

  /**
   * @param installs executes replacements of the state, which may take long
   * @param housekeeping executes what waits for Ratis' locks
   */
  RatisStateMachine(
      ReplicatedStateMachine machine,
      EntryLog log,
      SnapshotInstallation.Source snapshots,
      SharedLoops loops,
      Executor blocking,
      Executor installs,
      Executor housekeeping,
      UnappliedLog unapplied,
      Events events) {
    this.machine = machine;
    this.log = log;
    this.loops = loops;
    this.blocking = blocking;
    this.installs = installs;
    this.installation = new SnapshotInstallation(snapshots, this::install, housekeeping);
    this.unapplied = unapplied;
    this.events = events;
  }

  /**
   * Opens the state and returns its durable position. To be called before Ratis' division is
   * created, which would keep its directory locked if the state did not open.
   */
  Position open() throws IOException {
    Position durable = machine.open();
    synchronized (deliveryLock) {
      delivered = durable;
    }
    return durable;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
      throws IOException {
    super.initialize(server, group, storage);
    member = RaftGroupMemberId.valueOf(server.getId(), group);
    Position durable = delivered;
    if (durable.index() >= 0) {
      setLastAppliedTermIndex(EntryLog.termIndex(durable));
    }
    getLifeCycle().startAndTransition(() -> {});
  }

  /** The durable position: Ratis replays the log from there, and may discard it up to there. */
  @Override
  public SnapshotInfo getLatestSnapshot() {
    Position durable = machine.durable();
    TermIndex last = EntryLog.termIndex(durable);
    return durable.index() < 0 ? null : new FileListSnapshotInfo(List.of(), last);
  }

  /** Called at the leader for a proposal, before it is in the log. */
  @Override
  public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
    return TransactionContext.newBuilder()
        .setStateMachine(this)
        .setClientRequest(request)
        .setStateMachineContext(request.getMessage())
        .build();
  }

  @Override
  public EntryLog log() {
    return log;
  }

  @Override
  public void logged(long index, int bytes) {
    unapplied.logged(index, bytes);
  }

  @Override
  public SharedLoops loops() {
    return loops;
  }

  @Override
  public Executor blocking() {
    return blocking;
  }

  @Override
  public void appliedBy(Runnable more) {
    applyMore = more;
  }

  @Override
  public CompletableFuture<Void> capacity() {
    return closing.isDone() ? closing : capacity;
  }

  /**
   * The entries that this replica has received and not delivered to the state machine. Any thread.
   */
  UnappliedLog unapplied() {
    return unapplied;
  }

  /** Called at the last moment at which a proposal is known not to be in the log. */
  @Override
  public TransactionContext preAppendTransaction(TransactionContext transaction) {
    if (transaction.getStateMachineContext() instanceof PendingEntry entry) {
      entry.markAppended();
    }
    return transaction;
  }

  /**
   * Called under the log's lock, before other entries replace the removed ones in the log.
   *
   * @param first the first index that is removed, although the documentation of Ratis differs
   */
  @Override
  public CompletableFuture<Void> truncate(long first) {
    events.truncated(first);
    unapplied.truncated(first);
    return super.truncate(first);
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
    deliver(new CommittedBatch(position, EntryCodec.decode(bytes), results));
    return DONE;
  }

  /** Entries of Ratis' own, such as a new leader's first, occupy positions too. */
  @Override
  public void notifyTermIndexUpdated(long term, long index) {
    Position position = new Position(term, index);
    deliver(new CommittedBatch(position, List.of(), CommittedBatch.Results.UNWANTED));
  }

  @Override
  public void notifyConfigurationChanged(
      long term, long index, RaftConfigurationProto configuration) {
    RaftPoints.committed(configuration).passed(getGroupId());
    events.membersChanged(
        index,
        Stream.concat(
                configuration.getPeersList().stream(), configuration.getOldPeersList().stream())
            .map(peer -> new NodeId(peer.getId().toStringUtf8()))
            .distinct()
            .toList());
  }

  private void deliver(CommittedBatch batch) {
    RaftPoints.BEFORE_HAND_OVER.passed(member);
    synchronized (deliveryLock) {
      Position position = batch.position();
      // Positions that are covered are contained in an installed snapshot.
      if (closing.isDone() || delivered.covers(position)) {
        return;
      }
      CompletableFuture<Void> more = machine.committed(batch).toCompletableFuture();
      delivered = position;
      updateLastAppliedTermIndex(position.epoch(), position.index());
      if (!more.isDone() || more.isCompletedExceptionally()) {
        capacity = more.exceptionally(this::stateFailed);
        if (more.isDone()) {
          capacity.join();
        }
      }
    }
    unapplied.handedOver(batch.position().index());
    events.advanced();
  }

  /** Nothing is delivered after it: thrown on, the failure ends this member. */
  private Void stateFailed(Throwable cause) {
    if (!closing.isDone()) {
      fail(new ConsensusException.Fatal("The state machine failed.", Failures.unwrap(cause)));
    }
    throw new IllegalStateException("The state machine failed", cause);
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
        // A leader whose appender met an error has lost the position of this replica, and announces
        // a snapshot to a replica that is not behind. From now on Ratis reports this index to it.
        log.updateSnapshotIndex(committed);
        return installation.afterThisCall(
            division, failed("No snapshot is needed beyond index " + committed));
      }
      return installation.afterThisCall(division, installation.begin(leader, firstInLog));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<TermIndex> install(SnapshotFetcher.Fetched snapshot) {
    try {
      RaftServer.Division division = division();
      RaftLog log = division.getRaftLog();
      TermIndex last = EntryLog.termIndex(snapshot.position());
      if (log.getNextIndex() <= last.getIndex()) {
        return replaceState(snapshot);
      }
      if (log.contains(last) || hasDelivered(snapshot.position())) {
        // The entries beyond the snapshot may have been acknowledged, and would not survive its
        // installation. But now everything up to the snapshot is known to be committed.
        log.updateCommitIndex(last.getIndex(), division.getInfo().getCurrentTerm(), false);
        applyMore.run();
        return CompletableFuture.failedFuture(new SnapshotInstallation.NotNeededException(last));
      }
      // This log differs from the committed one, so the rest of it will never be committed. The
      // truncation completes on the thread of the log's writer, which must not be occupied.
      return log.truncate(last.getIndex())
          .thenComposeAsync(cut -> replaceState(snapshot), installs);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private boolean hasDelivered(Position position) {
    synchronized (deliveryLock) {
      return delivered.covers(position);
    }
  }

  /** The last position that was delivered, from the log or in a snapshot. Any thread. */
  Position delivered() {
    return delivered;
  }

  private CompletableFuture<TermIndex> replaceState(SnapshotFetcher.Fetched snapshot) {
    synchronized (deliveryLock) {
      if (closing.isDone()) {
        return failed("This replica is closing.");
      }
      if (!hasDelivered(snapshot.position())) {
        try {
          log.states().setInstalling(snapshot.position().index());
          machine.install(snapshot.directory(), snapshot.position());
        } catch (IOException e) {
          return CompletableFuture.failedFuture(e);
        }
        delivered = snapshot.position();
      }
    }
    unapplied.handedOver(snapshot.position().index());
    events.advanced();
    // Ratis discards the log up to the position that it receives, so that must be durable.
    return machine.flush().thenApply(EntryLog::termIndex).toCompletableFuture();
  }

  private static CompletableFuture<TermIndex> failed(String reason) {
    return CompletableFuture.failedFuture(new IOException(reason));
  }

  private RaftServer.Division division() throws IOException {
    return getServer().join().getDivision(getGroupId());
  }

  /**
   * Whether a snapshot is being installed. If so, the log must not be purged and this replica must
   * not lead: a truncation that belongs to the installation may be in progress.
   */
  boolean isInstalling() {
    return installation.isInProgress();
  }

  /** A step that is to follow many times a second while a snapshot is installed. */
  LoopTask.Next repeatNotification(boolean mayBlock) {
    if (installation.isInProgress()) {
      if (!mayBlock) {
        return LoopTask.Next.BLOCKS;
      }
      installation.repeatNotification(getServer().join(), getGroupId());
    }
    return LoopTask.Next.WAIT;
  }

  /** Around a snapshot, whose state is in place; there may be another before the first reload. */
  @Override
  public synchronized void pause() {
    if (getLifeCycleState() != LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.PAUSING);
      getLifeCycle().transition(LifeCycle.State.PAUSED);
    }
  }

  @Override
  public synchronized void reinitialize() {
    setLastAppliedTermIndex(EntryLog.termIndex(machine.durable()));
    if (getLifeCycleState() == LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.STARTING);
      getLifeCycle().transition(LifeCycle.State.RUNNING);
    }
    installation.adopted();
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    events.notLeader();
  }

  @Override
  public void notifyLeaderReady() {
    events.leads();
  }

  /** To be called when nothing more becomes durable in the log. Any thread; does not block. */
  void logFailed(IOException cause) {
    logFailed = true;
    fail(new ConsensusException.Fatal("The Raft log could not be written.", cause));
  }

  /** Ratis closes this member without a cause afterwards. */
  @Override
  public void applyFailed(long index, Throwable cause) {
    if (!closing.isDone()) {
      fail(new ConsensusException.Fatal("Entry " + index + " could not be applied.", cause));
    }
  }

  /** Whether no write to the log has failed. Any thread. */
  boolean hasLog() {
    return !logFailed;
  }

  /** To be called before Ratis closes this member: no more batches are delivered. */
  void startClosing() {
    closing.complete(null);
    applyMore.run();
    synchronized (deliveryLock) {
      // A delivery in progress has finished.
    }
  }

  /** To be called before Ratis closes this member because another one has removed it. */
  void markRemoved() {
    isRemoved = true;
  }

  /**
   * Called when no entry is applied any more, which is early only after a failure or when this
   * replica is no longer a member.
   */
  @Override
  public void close() {
    if (closing.isDone()) {
      return;
    }
    if (isRemoved || !isInConfiguration()) {
      events.removed();
    } else {
      fail(new ConsensusException.Fatal("The Raft log could not be applied; see the log.", null));
    }
  }

  /**
   * Whether the newest configuration in the log has this replica. During a change, Ratis closes a
   * replica that stands for election and is only one of the former members.
   */
  private boolean isInConfiguration() {
    RaftServer server = getServer().getNow(null);
    if (server == null) {
      return true;
    }
    try {
      return server.getDivision(getGroupId()).getRaftConf().getCurrentPeers().stream()
          .anyMatch(peer -> peer.getId().equals(server.getId()));
    } catch (IOException e) {
      LOG.debug("A group ends that is not known any more", e);
      return true;
    }
  }

  /** Reports the first failure; later ones are consequences of it. */
  private void fail(ConsensusException.Fatal reason) {
    if (failed.compareAndSet(false, true)) {
      events.failed(reason);
    }
  }
}

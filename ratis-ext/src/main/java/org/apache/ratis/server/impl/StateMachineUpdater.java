package org.apache.ratis.server.impl;

import io.quorate.common.Threads;
import io.quorate.ratis.log.ReplicaParts;
import io.quorate.ratis.patches.InPlaceOfRatis;
import io.quorate.replication.threads.LoopTask;
import java.io.IOException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIndex;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.apache.ratis.server.util.ServerStringUtils;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.util.ReplicaExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the committed entries of a replica to its state machine, in their order. It takes the
 * place of the class of this name in Ratis 3.3.0, a thread of each replica that polls ten times a
 * second. This one runs in steps on threads that all replicas of a node share. See ADR 0087.
 *
 * <p>It takes no snapshots and does not purge the log: the engine does.
 *
 * <p>Upstream: not reported. Fails without it: {@code ThreadsOfGroupsTest}. Can go when Ratis has a
 * setting for the threads of replicas.
 */
@InPlaceOfRatis
class StateMachineUpdater {
  private static final Logger LOG = LoggerFactory.getLogger(StateMachineUpdater.class);

  private static final ThreadFactory CLOSING = Threads.named("raft-close");

  /** After so many entries, others have their turn. */
  private static final int STEP_ENTRIES = 256;

  /** When the log is read again that lacks an entry, for which a snapshot is being installed. */
  private static final long RETRY_MILLIS = 100;

  private enum State {
    RUNNING,
    RELOAD,
    STOP,
    EXCEPTION
  }

  private final String name;
  private final StateMachine stateMachine;
  private final ReplicaParts parts;
  private final RaftServerImpl server;
  private final SegmentedRaftLog log;
  private final LongConsumer appliedIndexConsumer;
  private final RaftLogIndex appliedIndex;
  private final LoopTask task;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** Held in each step. */
  private final Object stepping = new Object();

  /** The capacity that wakes the task. Guarded by {@code stepping}. */
  private CompletableFuture<Void> awaited;

  /** After this entry it stops; empty while it does not stop. */
  private volatile OptionalLong stopIndex = OptionalLong.empty();

  /** Guarded by this for writing. */
  private volatile State state = State.RUNNING;

  /**
   * @param properties not used: those of snapshots
   */
  StateMachineUpdater(
      StateMachine stateMachine,
      RaftServerImpl server,
      ServerState serverState,
      long lastAppliedIndex,
      RaftProperties properties,
      LongConsumer appliedIndexConsumer) {
    this.name = ServerStringUtils.generateUnifiedName(serverState.getMemberId(), getClass());
    this.stateMachine = stateMachine;
    this.parts = (ReplicaParts) stateMachine;
    this.server = server;
    this.log = (SegmentedRaftLog) serverState.getLog();
    this.appliedIndexConsumer = appliedIndexConsumer;
    this.appliedIndex = new RaftLogIndex("appliedIndex", lastAppliedIndex);
    this.task = LoopTask.ofLongSteps(parts.loops(), new Step());
  }

  /** Called once, before any other method. */
  void start() {
    ((ReplicaExecutor) server.getServerExecutor()).begin(parts.loops(), parts.blocking());
    parts.appliedBy(this::notifyUpdater);
    appliedIndexConsumer.accept(appliedIndex.get());
    task.wake();
  }

  /**
   * Applies what is committed now, and ends; blocks until then. Runs the steps itself: one that is
   * due may be waiting behind something that needs a lock of the caller.
   */
  void stopAndJoin() throws InterruptedException {
    if (state != State.EXCEPTION && stopIndex.isEmpty()) {
      stopIndex = OptionalLong.of(log.getLastCommittedIndex());
    }
    for (LoopTask.Next next = step(true); next != LoopTask.Next.END; next = step(true)) {
      try {
        // The task ends too, as soon as it can.
        ended.get(next == LoopTask.Next.AGAIN ? 0 : RETRY_MILLIS, TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException e) {
        LOG.debug("{}: what is committed is not applied yet", name, e);
      }
    }
    if (state == State.EXCEPTION) {
      stop();
    }
  }

  /** Takes up the state that a snapshot has replaced. */
  void reloadStateMachine() {
    become(State.RELOAD);
    task.wake();
  }

  /** There may be more committed entries. Any thread; does not block. */
  void notifyUpdater() {
    task.wake();
  }

  /** Has no effect: no snapshot is taken at the end. */
  void setRemoving() {}

  long getStateMachineLastAppliedIndex() {
    TermIndex last = stateMachine.getLastAppliedTermIndex();
    return last == null ? RaftLog.INVALID_LOG_INDEX : last.getIndex();
  }

  /** A failure and the end are final. */
  private synchronized void become(State next) {
    if (state != State.STOP && state != State.EXCEPTION) {
      state = next;
    }
  }

  private final class Step implements LoopTask.Step {
    @Override
    public LoopTask.Next run(boolean mayBlock) {
      return step(mayBlock);
    }

    @Override
    public void rejected() {
      ended.complete(null);
    }
  }

  private LoopTask.Next step(boolean mayBlock) {
    synchronized (stepping) {
      if (ended.isDone()) {
        return LoopTask.Next.END;
      }
      try {
        return advance(mayBlock);
      } catch (IOException | RuntimeException | Error e) {
        // As Ratis: a replica that does not apply must not go on.
        become(State.EXCEPTION);
        parts.applyFailed(appliedIndex.get() + 1, e);
        ended.complete(null);
        // It waits for what may be waiting for this thread.
        CLOSING.newThread(server::close).start();
        return LoopTask.Next.END;
      }
    }
  }

  private LoopTask.Next advance(boolean mayBlock) throws IOException {
    if (state == State.RELOAD) {
      reload();
    }
    for (int entries = 0; ; entries++) {
      CompletableFuture<Void> capacity = parts.capacity();
      if (!capacity.isDone()) {
        if (awaited != capacity) {
          awaited = capacity;
          capacity.whenComplete((done, failure) -> task.wake());
        }
        return LoopTask.Next.WAIT;
      }
      // Throws if the state machine has failed.
      capacity.join();
      if (shouldStop()) {
        stop();
        ended.complete(null);
        return LoopTask.Next.END;
      }
      if (state == State.RELOAD || entries == STEP_ENTRIES) {
        return LoopTask.Next.AGAIN;
      }
      if (appliedIndex.get() >= log.getLastCommittedIndex()) {
        return LoopTask.Next.WAIT;
      }
      long index = appliedIndex.get() + 1;
      LogEntryProto entry = log.inMemory(index).orElse(null);
      if (!mayBlock && (entry == null || entry.hasConfigurationEntry())) {
        // It is on disk, or is to be written there.
        return LoopTask.Next.BLOCKS;
      }
      if (entry == null && (entry = log.get(index)) == null) {
        LOG.debug("{}: there is no entry {}, and a snapshot may be on its way", name, index);
        task.wakeAfter(RETRY_MILLIS);
        return LoopTask.Next.WAIT;
      }
      apply(entry);
    }
  }

  private void apply(LogEntryProto entry) throws IOException {
    CompletableFuture<?> applied = server.applyLogToStateMachine(entry);
    // The state machine says through the capacity when it has failed.
    assert applied == null || applied.isDone();
    long index = appliedIndex.incrementAndGet(change -> LOG.debug("{}: {}", name, change));
    assert index == entry.getIndex();
    appliedIndexConsumer.accept(index);
  }

  private boolean shouldStop() {
    OptionalLong last = stopIndex;
    return last.isPresent() && last.getAsLong() <= appliedIndex.get();
  }

  private void reload() throws IOException {
    // First: another snapshot may be installed meanwhile, which is to be taken up after this one.
    become(State.RUNNING);
    stateMachine.reinitialize();
    SnapshotInfo snapshot = Objects.requireNonNull(stateMachine.getLatestSnapshot());
    appliedIndex.setUnconditionally(
        snapshot.getIndex(), change -> LOG.info("{}: {}", name, change));
    appliedIndexConsumer.accept(snapshot.getIndex());
  }

  private void stop() {
    become(State.STOP);
    try {
      stateMachine.close();
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: the state machine does not close", name, e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}

package io.quorate.storage.apply;

import io.quorate.common.Backoff;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.context.ChangeGate;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.context.Takeover;
import io.quorate.storage.digest.RegionDigester;
import io.quorate.storage.garbage.BodyHorizon;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.read.Overlay;
import io.quorate.storage.read.ReadMeter;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.DatabaseException;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.MetaRows;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies one region's committed batches in order. One write contains many batches: their data,
 * sessions and applied position.
 *
 * <p>An actor on threads that all regions share: at most one iteration is scheduled or running, and
 * each applies a limited number of commands, so that no region starves the others.
 *
 * <p>A failed iteration has no effect; its batches stay in the queue and are retried later.
 */
public final class RegionApplier {
  /** Maximum commands and bytes of one iteration, and so of one write; at least one whole batch. */
  private static final int ITERATION_COMMANDS_MAX = 4096;

  private static final long ITERATION_BYTES_MAX = 4 << 20;

  private static final Backoff RETRY = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1));

  /** The pause before a region that this one absorbs may have ended its change. */
  private static final long LATER_NANOS = Duration.ofMillis(5).toNanos();

  private static final Logger LOG = LoggerFactory.getLogger(RegionApplier.class);

  private static final KeyRange NO_KEYS = KeyRange.of(Key.EMPTY, Key.EMPTY);

  private final StorageContext context;
  private final GroupId region;
  private final Keyspace keyspace;
  private final Family family;
  private final OperationExecutor execution;
  private final Optional<BodyStore> bodies;
  private final ApplyQueue queue;
  private final CommitStage commitStage;
  private final ApplyMetrics metrics;
  private final AppliedWaiters waiters;
  private final AppliedWaiters scans;
  private final ReadMeter meter;
  private final RegionDigester digester;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /** Entered while the region's rows, sessions and position change. */
  private final ChangeGate gate;

  private volatile Position applied = Position.NONE;

  /**
   * Set after the write of the state to which it belongs, and before {@link #shape}: what a region
   * has left behind by a split is searched for with the horizon of the split.
   */
  private volatile BodyHorizon horizon = BodyHorizon.NONE;

  /** The shape of the region as written; set before {@link #applied}, under {@link #gate}. */
  private volatile RegionShape shape;

  /** Whether the region has a base; guarded by {@link #gate}. */
  private boolean hasBase;

  /** Position of the last batch delivered by the engine; for metrics only. */
  private volatile Position committed = Position.NONE;

  private volatile int sessionCount;
  private volatile int openSessionCount;

  /**
   * False until loaded, while an install is incomplete, and without a base; set under {@link
   * #gate}.
   */
  private volatile boolean ready;

  /**
   * The sessions as written; empty if that is unknown, so that they are loaded again; guarded by
   * {@link #gate}.
   */
  private Optional<Sessions> sessions = Optional.empty();

  /** Consecutive failed iterations; written by iterations only. */
  private volatile int failures;

  public RegionApplier(
      StorageContext context,
      GroupId region,
      Keyspace keyspace,
      OperationExecutor execution,
      Optional<BodyStore> bodies,
      Overlay overlay,
      ReadMeter meter,
      RegionDigester digester) {
    this.context = context;
    this.region = region;
    this.keyspace = keyspace;
    this.family = Family.of(keyspace);
    this.gate = context.ranges().gate(region);
    this.shape = RegionShape.initial(region, NO_KEYS);
    this.execution = execution;
    this.bodies = bodies;
    this.queue =
        new ApplyQueue(
            context.options().applyQueueBatches(),
            context.options().applyQueueBytes(),
            System::nanoTime);
    this.commitStage = new CommitStage(context, region, execution, overlay);
    this.waiters =
        new AppliedWaiters(commitStage.acceleratesReads() ? overlay::upTo : this::applied);
    this.scans = new AppliedWaiters(this::applied);
    this.meter = meter;
    this.digester = digester;
    this.metrics =
        new ApplyMetrics(
            context.telemetry(),
            region,
            queue,
            waiters,
            overlay,
            this::gap,
            () -> openSessionCount);
  }

  /** Position up to which all batches are applied and written. */
  public Position applied() {
    return applied;
  }

  /** The keys of the region as of the newest readable position; none without a base. Any thread. */
  public KeyRange range() {
    if (gate.isAbsorbed()) {
      return NO_KEYS;
    }
    return commitStage.acceleratesReads() ? commitStage.range() : shape.keys();
  }

  /** The shape of the region as written; of no keys without a base. Any thread. */
  public RegionShape shape() {
    return shape;
  }

  /**
   * Which bodies are settled in a state that is written: the rows in the database are those of this
   * state or of a later one. Any thread.
   */
  public BodyHorizon bodyHorizon() {
    return horizon;
  }

  /** Number of positions between the applied one and the last delivered one. */
  public long gap() {
    return Math.max(0, committed.index() - applied.index());
  }

  /** Waits until reads see everything up to a position, and records the wait as that of a read. */
  public CompletionStage<Void> awaitReadable(Position position) {
    if (!Position.NONE.covers(position)) {
      meter.waitsFor(position, applied);
    }
    return waiters.await(position);
  }

  /**
   * Waits until a position is applied or applying fails. Completes on an applier's thread, which
   * must not be blocked.
   */
  public CompletionStage<Void> awaitApplied(Position position) {
    return failures == 0 ? scans.await(position) : AppliedWaiters.REACHED;
  }

  /** Number of client sessions, as last written. */
  public int sessionCount() {
    return sessionCount;
  }

  /** The number of clients that have not ended their sessions. Any thread. */
  public int openSessionCount() {
    return openSessionCount;
  }

  /** Accepts a batch. Does not block; called by one thread at a time. */
  public CompletionStage<Void> add(CommittedBatch batch) {
    // The overlay first: a change must enter it before the applier can apply and remove it.
    CommitStage.AcceptedBatch accepted = commitStage.accept(batch);
    CompletionStage<Void> capacity = queue.add(accepted.forApplier());
    committed = batch.position();
    schedule();
    accepted.completeKnown();
    metrics.repliedAtCommit(accepted.knownResults().cardinality());
    if (commitStage.acceleratesReads()) {
      waiters.advanced();
    }
    return accepted.capacity().toCompletableFuture().isDone()
        ? capacity
        : capacity.thenCombine(accepted.capacity(), (queued, overlaid) -> null);
  }

  /** A change to the region other than by applying batches. */
  public interface Change {
    void run() throws IOException;
  }

  /**
   * Changes the region while no batch is applied. If the change fails, no batch is applied until a
   * later change succeeds.
   *
   * @param change must call {@link #reload} at its end, unless the region is closed
   */
  public void change(Change change) throws IOException {
    gate.enter();
    try {
      ready = false;
      commitStage.suspend();
      change.run();
      ready = hasBase;
    } finally {
      gate.leave();
    }
    waiters.advanced();
    scans.advanced();
    schedule();
  }

  /**
   * Loads the state from the database. To be called within a {@link #change}, while no read is
   * running.
   *
   * @return whether the region has a base; without one, batches wait until it has
   */
  public boolean reload() throws IOException {
    Optional<MetaRows.Base> base = context.meta().base(region);
    hasBase = base.isPresent();
    RegionShape loaded =
        base.map(MetaRows.Base::shape).orElse(RegionShape.initial(region, NO_KEYS));
    Position position = context.meta().applied(region);
    horizon =
        position.equals(Position.NONE) && loaded.inheritsBodies()
            ? BodyHorizon.afterInherited(loaded.inheritedEpoch())
            : BodyHorizon.at(position);
    shape = loaded;
    sessions = Optional.empty();
    count(currentSessions());
    applied = position;
    if (hasBase) {
      commitStage.restart(applied, shape, queue.all());
    }
    return hasBase;
  }

  /** Accepts no more batches, drops the waiting ones, and fails all waiters. */
  public void close() {
    queue.close();
    commitStage.close();
    waiters.close();
    scans.close();
  }

  private void schedule() {
    if (!queue.isEmpty() && scheduled.compareAndSet(false, true)) {
      submit(0);
    }
  }

  private void submit(long delayNanos) {
    try {
      context.appliers().schedule(this::runIteration, delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // The storage is being closed; close() fails the waiters.
      LOG.debug("Region {} stops applying: the storage is closed", region);
    }
  }

  private void runIteration() {
    try {
      Iteration iteration = apply();
      if (!iteration.batches().isEmpty()) {
        long waitedNanos = queue.remove(iteration.batches().size());
        StoragePoints.AFTER_WRITE.passed(region);
        commitStage.applied(applied);
        iteration.complete(region);
        StoragePoints.AFTER_RESPONSES.passed(region);
        waiters.advanced();
        scans.advanced();
        failures = 0;
        context.failures().succeeded(Optional.of(region));
        metrics.applied(iteration.batches(), waitedNanos);
      } else if (iteration == Iteration.LATER) {
        submit(LATER_NANOS);
        return;
      }
    } catch (IOException | RuntimeException | Error e) {
      // Errors too: the executor would swallow them, and the region would stop without a report.
      context.failures().failed(Optional.of(region), e);
      if (e instanceof DatabaseException) {
        // A flush helps RocksDB to recover; its outcome goes to the same report.
        context.flusher().flush();
      }
      submit(RETRY.nanos(failures));
      failures = failures + 1;
      // These scans wait because waiting was estimated to be cheaper than reading immediately.
      scans.releaseAll();
      return;
    }
    scheduled.set(false);
    // A thread that added a batch, or made the region ready, while the flag was set did not
    // schedule an iteration.
    if (ready) {
      schedule();
    }
  }

  private Iteration apply() throws IOException {
    // A change may take long, and regions share this thread. An iteration is scheduled when it
    // ends.
    if (!gate.tryEnter()) {
      return Iteration.NOTHING;
    }
    try {
      List<CommittedBatch> batches =
          ready && !gate.isAbsorbed()
              ? queue.front(ITERATION_COMMANDS_MAX, ITERATION_BYTES_MAX)
              : List.of();
      if (batches.isEmpty()) {
        return Iteration.NOTHING;
      }
      Sessions current = currentSessions();
      // Until the write has succeeded, memory is ahead of the database.
      sessions = Optional.empty();
      return apply(batches, current);
    } finally {
      gate.leave();
    }
  }

  private Iteration apply(List<CommittedBatch> batches, Sessions current) throws IOException {
    try {
      Iteration iteration = applyAndWrite(batches, current);
      if (iteration == Iteration.LATER) {
        current.undo();
      }
      sessions = Optional.of(current);
      count(current);
      return iteration;
    } catch (IOException e) {
      undo(current, e);
      throw e;
    }
  }

  /** Takes back what a failed iteration has changed; if that fails too, all are loaded again. */
  private void undo(Sessions changed, IOException failure) {
    try {
      changed.undo();
      sessions = Optional.of(changed);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private void count(Sessions current) {
    sessionCount = current.count();
    openSessionCount = current.openCount();
  }

  private Sessions currentSessions() throws IOException {
    if (sessions.isEmpty()) {
      sessions = Optional.of(Sessions.load(context.database(), region, context.sessionWindow()));
    }
    return sessions.get();
  }

  private Iteration applyAndWrite(List<CommittedBatch> batches, Sessions current)
      throws IOException {
    long started = System.nanoTime();
    PendingValues values = new PendingValues(context.database(), family);
    ApplyIteration iteration =
        new ApplyIteration(region, execution, bodies, values, current, shape, horizon);
    List<byte[][]> results = new ArrayList<>(batches.size());
    Position position = applied;
    for (CommittedBatch batch : batches) {
      if (position.covers(batch.position())) {
        results.add(iteration.resultsOfApplied(batch));
      } else {
        results.add(iteration.apply(batch));
        position = batch.position();
      }
      if (iteration.isComplete()) {
        // Reads have the new range, or a digest its state, before later batches are applied.
        break;
      }
    }
    if (!position.equals(applied)) {
      assert position.compareTo(applied) > 0 : position + " after " + applied;
      Optional<Takeover> takeover = Optional.empty();
      if (iteration.hasAbsorbed()) {
        takeover = Takeover.tryBegin(context, region, keyspace, iteration.shape());
        if (takeover.isEmpty()) {
          return Iteration.LATER;
        }
      }
      try {
        write(iteration, takeover, current, position);
      } finally {
        takeover.ifPresent(Takeover::close);
      }
      meter.applied(position.index() - applied.index(), System.nanoTime() - started);
      publish(iteration, position);
    }
    return new Iteration(batches.subList(0, results.size()), results);
  }

  private void write(
      ApplyIteration iteration, Optional<Takeover> takeover, Sessions current, Position position)
      throws IOException {
    try (DatabaseBatch write = context.database().batch()) {
      if (takeover.isPresent()) {
        StoragePoints.MERGE_TAKEN_OVER.reached(region);
        takeover.get().addTo(write);
      }
      iteration.addTo(write, context.meta(), keyspace, position);
      StoragePoints.BEFORE_WRITE.reached(region);
      context.database().write(write);
    }
    current.written();
    takeover.ifPresent(Takeover::written);
  }

  /**
   * Publishes what was written: first the range, so that no read which waited for the position
   * returns keys that have left the region, and then the children, whose groups may open from now
   * on and change the rows of these keys.
   */
  private void publish(ApplyIteration iteration, Position position) {
    horizon = iteration.horizonAt(position);
    if (iteration.hasReshaped()) {
      reachedChange(iteration);
      shape = iteration.shape();
      for (ApplyIteration.AppliedSplit each : iteration.splits()) {
        context.ranges().split(region, each.split().at(), each.split().child());
      }
    }
    applied = position;
    iteration.digest().ifPresent(bounds -> digester.begin(position, shape.range(), bounds));
    iteration.splits().forEach(each -> context.listener().childBegan(each.split().child()));
    if (iteration.hasReshaped() && iteration.splits().isEmpty()) {
      context.listener().merging(region);
    }
  }

  private void reachedChange(ApplyIteration iteration) {
    if (!iteration.splits().isEmpty()) {
      StoragePoints.SPLIT_WRITTEN.passed(region);
    } else if (iteration.hasAbsorbed()) {
      StoragePoints.MERGE_WRITTEN.passed(region);
    } else {
      StoragePoints.MERGE_FROZEN.passed(region);
    }
  }
}

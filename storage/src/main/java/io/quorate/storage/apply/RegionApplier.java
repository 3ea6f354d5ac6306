package io.quorate.storage.apply;

import io.quorate.common.Backoff;
import io.quorate.consensus.CommittedBatch;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.context.ChangeGate;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.read.Overlay;
import io.quorate.storage.read.ReadMeter;
import io.quorate.storage.rocks.DatabaseException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies one region's committed batches in order to its {@link AppliedState}: decides when, and
 * completes the results and wakes the reads that wait.
 *
 * <p>An actor on threads that all regions share: at most one iteration is scheduled or running, and
 * each applies a limited number of commands with one write, so that no region starves the others.
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

  private final StorageContext context;
  private final GroupId region;
  private final AppliedState state;
  private final ApplyQueue queue;
  private final CommitStage commitStage;
  private final ApplyMetrics metrics;
  private final AppliedWaiters waiters;
  private final AppliedWaiters scans;
  private final ReadMeter meter;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /** Entered while the region's rows, sessions and position change. */
  private final ChangeGate gate;

  /** Whether the region has a base; guarded by {@link #gate}. */
  private boolean hasBase;

  /** Position of the last batch delivered by the engine; for metrics only. */
  private volatile Position committed = Position.NONE;

  /**
   * False until loaded, while an install is incomplete, and without a base; set under {@link
   * #gate}.
   */
  private volatile boolean ready;

  /** Consecutive failed iterations; written by iterations only. */
  private volatile int failures;

  /**
   * @param state changed by this applier only
   * @param execution as that of the state
   * @param overlay receives the changes that are committed and not applied
   */
  public RegionApplier(
      StorageContext context,
      GroupId region,
      AppliedState state,
      OperationExecutor execution,
      Overlay overlay,
      ReadMeter meter) {
    this.context = context;
    this.region = region;
    this.state = state;
    this.gate = context.ranges().gate(region);
    this.queue =
        new ApplyQueue(
            context.options().applyQueueBatches(),
            context.options().applyQueueBytes(),
            System::nanoTime);
    this.commitStage = new CommitStage(context, region, execution, overlay);
    this.waiters =
        new AppliedWaiters(commitStage.acceleratesReads() ? overlay::upTo : state::position);
    this.scans = new AppliedWaiters(state::position);
    this.meter = meter;
    this.metrics =
        new ApplyMetrics(
            context.telemetry(),
            region,
            queue,
            waiters,
            overlay,
            this::gap,
            state::openSessionCount);
  }

  /** The keys of the region as of the newest readable position; none without a base. Any thread. */
  public KeyRange range() {
    if (gate.isAbsorbed()) {
      return AppliedState.NO_KEYS;
    }
    return commitStage.acceleratesReads() ? commitStage.range() : state.shape().keys();
  }

  /** Number of positions between the applied one and the last delivered one. */
  public long gap() {
    return Math.max(0, committed.index() - state.position().index());
  }

  /** Waits until reads see everything up to a position, and records the wait as that of a read. */
  public CompletionStage<Void> awaitReadable(Position position) {
    if (!Position.NONE.covers(position)) {
      meter.waitsFor(position, state.position());
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

  /** Accepts a batch. Does not block; called by one thread at a time. */
  public CompletionStage<Void> add(CommittedBatch batch) {
    // The overlay first: a change must enter it before the applier can apply and remove it.
    CommitStage.AcceptedBatch accepted = commitStage.accept(DecodedBatch.of(batch));
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
    hasBase = state.load();
    if (hasBase) {
      commitStage.restart(state.position(), state.shape(), queue.all());
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
      switch (iteration.outcome()) {
        case APPLIED -> complete(iteration);
        case LATER -> {
          submit(LATER_NANOS);
          return;
        }
        case NOTHING -> {
          // The next iteration is scheduled by the thread that ends the change, or adds a batch.
        }
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

  /** Responds to the commands of an iteration, and wakes the reads that wait for it. */
  private void complete(Iteration iteration) {
    long waitedNanos = queue.remove(iteration.batches().size());
    StoragePoints.AFTER_WRITE.passed(region);
    commitStage.applied(state.position());
    iteration.complete(region);
    StoragePoints.AFTER_RESPONSES.passed(region);
    waiters.advanced();
    scans.advanced();
    failures = 0;
    context.failures().succeeded(Optional.of(region));
    metrics.applied(iteration.batches(), waitedNanos);
  }

  private Iteration apply() throws IOException {
    // A change may take long, and regions share this thread. An iteration is scheduled when it
    // ends.
    if (!gate.tryEnter()) {
      return Iteration.without(Iteration.Outcome.NOTHING);
    }
    try {
      List<DecodedBatch> batches =
          ready && !gate.isAbsorbed()
              ? queue.front(ITERATION_COMMANDS_MAX, ITERATION_BYTES_MAX)
              : List.of();
      return batches.isEmpty()
          ? Iteration.without(Iteration.Outcome.NOTHING)
          : state.apply(batches);
    } finally {
      gate.leave();
    }
  }
}

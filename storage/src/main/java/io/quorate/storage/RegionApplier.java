package io.quorate.storage;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import io.quorate.operation.MalformedException;
import io.quorate.operation.Operation;
import io.quorate.operation.Result;
import io.quorate.operation.TaggedOperation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies one region's committed batches in their order: many of them in one write, which holds
 * data, sessions and applied position.
 *
 * <p>An actor on threads that all regions share: it has at most one turn scheduled or running, and
 * takes a limited number of commands in each, so that no region keeps the others waiting.
 *
 * <p>If a turn fails, nothing of it has happened; the batches stay and are tried again later.
 */
final class RegionApplier {
  /** Commands and bytes of one turn, and so of one write, at most; but always one whole batch. */
  private static final int TURN_COMMANDS = 4096;

  private static final long TURN_BYTES = 4 << 20;

  private static final long RETRY_MILLIS_LEAST = 100;
  private static final long RETRY_MILLIS_MOST = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(RegionApplier.class);

  /** What a turn did: the batches and the answers to their commands. */
  private record Turn(List<CommittedBatch> batches, List<byte[][]> answers) {
    static final Turn NOTHING = new Turn(List.of(), List.of());
  }

  private final StorageParts parts;
  private final GroupId region;
  private final Family family;
  private final Execution execution;
  private final ApplyQueue queue;
  private final Intake intake;
  private final ApplyMetrics metrics;
  private final ReadableWaiters waiters;
  private final ReadableWaiters scans;
  private final ReadMeter meter;
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final DatabaseBatch.Scratch scratch = new DatabaseBatch.Scratch();

  /** Held while the region's rows, sessions and position change. */
  private final ReentrantLock changing = new ReentrantLock();

  private volatile Position applied = Position.NONE;

  /** The last position that was handed over; for measuring only. */
  private volatile Position committed = Position.NONE;

  private volatile int sessionCount;

  /** False until loaded, and while an install is half done; set under {@link #changing}. */
  private volatile boolean ready;

  /** As written, unless a turn failed: then to be loaded again; guarded by {@link #changing}. */
  private Optional<Sessions> sessions = Optional.empty();

  /** Failed turns in a row; written in turns only. */
  private volatile int failures;

  RegionApplier(
      StorageParts parts,
      GroupId region,
      Family family,
      Execution execution,
      Overlay overlay,
      ReadMeter meter) {
    this.parts = parts;
    this.region = region;
    this.family = family;
    this.execution = execution;
    this.queue =
        new ApplyQueue(parts.options().applyQueueBatches(), parts.options().applyQueueBytes());
    this.intake = new Intake(parts, region, execution, overlay);
    this.waiters = new ReadableWaiters(intake.acceleratesReads() ? overlay::upTo : this::applied);
    this.scans = new ReadableWaiters(this::applied);
    this.meter = meter;
    this.metrics =
        new ApplyMetrics(
            parts.telemetry(), region, queue, waiters, overlay, this::gap, () -> sessionCount);
  }

  Position applied() {
    return applied;
  }

  /** How many positions the applied one is behind the last that was handed over. */
  long gap() {
    return Math.max(0, committed.index() - applied.index());
  }

  CompletionStage<Void> awaitReadable(Position position) {
    if (!Position.NONE.covers(position)) {
      meter.waitsFor(position, applied);
    }
    return waiters.await(position);
  }

  /**
   * Waits until a position is applied, or applying fails. Completes on an applier's thread, which
   * must not be blocked.
   */
  CompletionStage<Void> awaitApplied(Position position) {
    return failures == 0 ? scans.await(position) : ReadableWaiters.REACHED;
  }

  int sessionCount() {
    return sessionCount;
  }

  /** Takes a batch to be applied. Does not block, and is called by one thread at a time. */
  CompletionStage<Void> add(CommittedBatch batch) {
    // In this order: what is applied has left the overlay after it came.
    Intake.Taken taken = intake.take(batch);
    CompletionStage<Void> room = queue.add(taken.forApplier());
    committed = batch.position();
    schedule();
    taken.answer();
    metrics.answeredAtCommit(taken.known().cardinality());
    if (intake.acceleratesReads()) {
      waiters.advanced();
    }
    return taken.room().toCompletableFuture().isDone()
        ? room
        : room.thenCombine(taken.room(), (queued, overlaid) -> null);
  }

  /** A change to the region from outside. */
  interface Change {
    void run() throws IOException;
  }

  /**
   * Changes the region while nothing is applied. If the change fails, nothing is applied until a
   * later one succeeds.
   *
   * @param change has to {@link #reload} when it is done
   */
  void change(Change change) throws IOException {
    changing.lock();
    try {
      ready = false;
      intake.suspend();
      change.run();
      ready = true;
    } finally {
      changing.unlock();
    }
    waiters.advanced();
    scans.advanced();
    schedule();
  }

  /** Loads what the database has. To be called within a {@link #change}, while nobody reads. */
  void reload() throws IOException {
    sessions = Optional.empty();
    sessionCount = currentSessions().count();
    applied = parts.meta().applied(region);
    intake.restart(applied, queue.all());
  }

  /** Takes no more batches, drops those that wait, and fails whoever waits. */
  void close() {
    queue.close();
    intake.close();
    waiters.close();
    scans.close();
  }

  private void schedule() {
    if (!queue.isEmpty() && scheduled.compareAndSet(false, true)) {
      submit(0);
    }
  }

  private void submit(long delayMillis) {
    try {
      parts.appliers().schedule(this::turn, delayMillis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The storage is being closed: whoever waits is told by close().
      LOG.debug("Region {} applies nothing more, the storage is closed", region);
    }
  }

  private void turn() {
    try {
      Turn turn = apply();
      if (!turn.batches().isEmpty()) {
        queue.remove(turn.batches().size());
        StoragePoints.AFTER_WRITE.passed(region);
        intake.applied(applied);
        handOver(turn);
        StoragePoints.AFTER_ANSWERS.passed(region);
        waiters.advanced();
        scans.advanced();
        failures = 0;
        parts.failures().succeeded(Optional.of(region));
        metrics.applied(turn.batches());
      }
    } catch (IOException | RuntimeException | Error e) {
      // Errors too: the executor would keep them to itself, and the region stand still unnoticed.
      parts.failures().failed(Optional.of(region), e);
      if (e instanceof DatabaseException) {
        // Helps RocksDB to recover; its own outcome goes to the same report.
        parts.flusher().flush();
      }
      submit(Math.min(RETRY_MILLIS_MOST, RETRY_MILLIS_LEAST << Math.min(failures, 10)));
      failures = failures + 1;
      // They wait because that seemed cheaper than reading now.
      scans.letGo();
      return;
    }
    scheduled.set(false);
    // Who added a batch, or made the region ready, while the flag was set has left it to this turn.
    if (ready) {
      schedule();
    }
  }

  private Turn apply() throws IOException {
    // A change from outside may take long, and the thread is not this region's alone. When it ends,
    // another turn is scheduled.
    if (!changing.tryLock()) {
      return Turn.NOTHING;
    }
    try {
      List<CommittedBatch> batches = ready ? queue.front(TURN_COMMANDS, TURN_BYTES) : List.of();
      if (batches.isEmpty()) {
        return Turn.NOTHING;
      }
      Sessions current = currentSessions();
      // Until the write has succeeded, memory is ahead of the database.
      sessions = Optional.empty();
      List<byte[][]> answers = applyAndWrite(batches, current);
      sessions = Optional.of(current);
      sessionCount = current.count();
      return new Turn(batches, answers);
    } finally {
      changing.unlock();
    }
  }

  private Sessions currentSessions() throws IOException {
    if (sessions.isEmpty()) {
      sessions = Optional.of(Sessions.load(parts.database(), region, parts.sessionWindow()));
    }
    return sessions.get();
  }

  private List<byte[][]> applyAndWrite(List<CommittedBatch> batches, Sessions current)
      throws IOException {
    long started = System.nanoTime();
    PendingValues values = new PendingValues(parts.database(), family);
    List<byte[][]> answers = new ArrayList<>(batches.size());
    Position position = applied;
    for (CommittedBatch batch : batches) {
      if (position.covers(batch.position())) {
        answers.add(answerAgain(batch, current));
      } else {
        answers.add(apply(batch, values, current));
        position = batch.position();
      }
    }
    if (!position.equals(applied)) {
      try (DatabaseBatch write = parts.database().batch(scratch)) {
        values.addTo(write);
        current.addChanges(write);
        parts.meta().putApplied(write, region, position);
        StoragePoints.BEFORE_WRITE.reached(region);
        parts.database().write(write);
      }
      current.written();
      meter.applied(position.index() - applied.index(), System.nanoTime() - started);
      applied = position;
    }
    return answers;
  }

  private byte[][] apply(CommittedBatch batch, PendingValues values, Sessions current)
      throws IOException {
    List<ByteBuffer> commands = batch.commands();
    byte[][] answers = new byte[commands.size()][];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = apply(commands.get(i), batch.position(), values, current);
    }
    return answers;
  }

  private byte[] apply(
      ByteBuffer command, Position position, PendingValues values, Sessions current)
      throws IOException {
    TaggedOperation request;
    try {
      request = TaggedOperation.decode(command);
    } catch (MalformedException e) {
      // Every replica has the same bytes, and so the same answer.
      return Answers.of(new Result.Refused(e.getMessage()));
    }
    if (!request.tag().isTracked()) {
      return Answers.of(execute(request.operation(), values, current));
    }
    Optional<byte[]> known = current.arrived(request.tag(), position);
    if (known.isPresent()) {
      return known.get();
    }
    byte[] answer = Answers.of(execute(request.operation(), values, current));
    current.remember(request.tag(), answer);
    return answer;
  }

  private Result execute(Operation operation, PendingValues values, Sessions current)
      throws IOException {
    if (operation instanceof Operation.Batch batch) {
      return execution.execute(batch, values);
    } else if (operation instanceof Operation.ExpireSessions expire) {
      current.expire(expire.before());
      return Result.DONE;
    }
    return execution.execute((Operation.OnKey) operation, values);
  }

  /**
   * Answers a batch that the state contains already, without changing it: by the kept answers, and
   * with "forgotten", which promises least, where there is none. Saying nothing would leave whoever
   * asked waiting for ever.
   */
  private static byte[][] answerAgain(CommittedBatch batch, Sessions current) throws IOException {
    List<ByteBuffer> commands = batch.commands();
    byte[][] answers = new byte[commands.size()][];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = answerAgain(commands.get(i), current);
    }
    return answers;
  }

  private static byte[] answerAgain(ByteBuffer command, Sessions current) throws IOException {
    TaggedOperation request;
    try {
      request = TaggedOperation.decode(command);
    } catch (MalformedException e) {
      return Answers.of(new Result.Refused(e.getMessage()));
    }
    Optional<byte[]> kept =
        request.tag().isTracked() ? current.answered(request.tag()) : Optional.empty();
    return kept.isPresent() ? kept.get() : Answers.of(Result.FORGOTTEN);
  }

  private void handOver(Turn turn) {
    for (int b = 0; b < turn.batches().size(); b++) {
      CommittedBatch.Results results = turn.batches().get(b).results();
      byte[][] answers = turn.answers().get(b);
      for (int i = 0; i < answers.length; i++) {
        try {
          results.complete(i, ByteBuffer.wrap(answers[i]));
        } catch (RuntimeException e) {
          // A broken receiver must not keep the answers of the others.
          LOG.error("An answer of region {} could not be handed over", region, e);
        }
      }
    }
  }
}

package io.quorate.ratis;

import io.quorate.common.BatchPacing;
import io.quorate.common.Failures;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ProposeResult;
import io.quorate.ratis.settings.RatisSettings;
import io.quorate.replication.proposals.CommandQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Groups commands into log entries. While the window of entries in flight is full, commands that
 * arrive wait and share the next entry: batches grow with the load. Under load, commands also wait
 * a moment for those that are expected, see {@link BatchPacing}; a single command never does.
 *
 * <p>Any thread may propose. Entries are submitted by one task at a time, in the order in which
 * {@link CommandQueue} gives their commands turns.
 */
final class Proposer {
  /** Passes an entry to Ratis. */
  interface Submit extends Function<PendingEntry, CompletableFuture<Optional<ConsensusException>>> {
    /**
     * @return completes when the entry leaves the window, with the failure if the entry was not
     *     applied. The failure is a value, because a stage that fails with it would wrap it.
     */
    @Override
    CompletableFuture<Optional<ConsensusException>> apply(PendingEntry entry);
  }

  /** Runs tasks that do not block later. */
  interface Delay {
    /**
     * @throws RejectedExecutionException if this node is closing
     */
    void run(Runnable task, long nanos);
  }

  private final RatisSettings settings;
  private final Executor executor;
  private final Delay delay;
  private final BooleanSupplier hasRoom;
  private final Submit submit;
  private final ProposerMetrics metrics;

  private final Object lock = new Object();
  private final CommandQueue<PendingEntry.PendingCommand> queue;
  private final BatchPacing pacing = new BatchPacing();
  private int inFlight;
  private int commandsInFlight;
  private boolean draining;

  /** Whether the queue waits for more commands, until the timer has run. */
  private boolean waiting;

  private boolean paused;
  private boolean closed;

  /** Entries with commands that have no result. */
  private final Set<PendingEntry> incomplete = ConcurrentHashMap.newKeySet();

  /**
   * @param executor submits entries, one task at a time
   * @param delay ends the waits of commands for others
   * @param hasRoom whether the log may take an entry; if not, {@link #submitMore} follows
   */
  Proposer(
      RatisSettings settings,
      Executor executor,
      Delay delay,
      BooleanSupplier hasRoom,
      Submit submit,
      ProposerMetrics metrics) {
    this.settings = settings;
    this.executor = executor;
    this.delay = delay;
    this.hasRoom = hasRoom;
    this.submit = submit;
    this.metrics = metrics;
    this.queue =
        new CommandQueue<>(
            "raft", settings.proposals().queueCommandsMax(), settings.proposals().queueBytesMax());
    metrics.watchQueue(this::queuedCommands, this::queuedBytes);
  }

  CompletableFuture<ProposeResult> propose(Command command) {
    if (command.size() + EntryCodec.overheadBytes() > settings.proposals().entryBytesMax()) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Invalid(
              "A command has at most "
                  + (settings.proposals().entryBytesMax() - EntryCodec.overheadBytes())
                  + " bytes (raft.entry-size-max); this one has "
                  + command.size()
                  + "."));
    }
    CompletableFuture<ProposeResult> outcome = new CompletableFuture<>();
    synchronized (lock) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new ConsensusException.Unavailable("This replica is closing."));
      }
      long now = System.nanoTime();
      Optional<ConsensusException> refusal =
          queue.refusal(command.source(), command.size(), command.waitNanosMax(), now);
      if (refusal.isPresent()) {
        return CompletableFuture.failedFuture(refusal.get());
      }
      command.awaitBegin();
      queue.add(new PendingEntry.PendingCommand(command, outcome), now);
      if (!startsDrain()) {
        return outcome;
      }
    }
    executor.execute(this::drain);
    return outcome;
  }

  /** Whether the caller is to run {@link #drain}; otherwise it runs, or will when it may. */
  private boolean startsDrain() {
    if (!mayDrain() || waitsForMore()) {
      return false;
    }
    draining = true;
    return true;
  }

  private boolean mayDrain() {
    return !draining
        && !paused
        && !queue.isEmpty()
        && inFlight < settings.proposals().entriesInFlightMax();
  }

  /** Whether the queue is to wait for more commands; the end of the wait is then scheduled. */
  private boolean waitsForMore() {
    boolean isFull =
        queue.size() >= settings.proposals().batchCommandsMax()
            || queue.bytes() >= settings.proposals().batchBytesMax();
    if (isFull || queue.size() >= pacing.expected()) {
      return false;
    }
    if (!waiting) {
      try {
        delay.run(this::endWait, pacing.waitNanosMax());
        waiting = true;
      } catch (RejectedExecutionException e) {
        return false;
      }
    }
    return true;
  }

  private void endWait() {
    synchronized (lock) {
      waiting = false;
      if (!mayDrain()) {
        return;
      }
      draining = true;
    }
    executor.execute(this::drain);
  }

  /** Submits nothing more until {@link #resume}. Commands wait in the queue, up to its bounds. */
  void pause() {
    synchronized (lock) {
      paused = true;
    }
  }

  void resume() {
    synchronized (lock) {
      boolean wasPaused = paused;
      paused = false;
      if (!wasPaused || draining || queue.isEmpty()) {
        return;
      }
      draining = true;
    }
    executor.execute(this::drain);
  }

  /** The log may take entries again. Any thread; does not block. */
  void submitMore() {
    synchronized (lock) {
      if (!startsDrain()) {
        return;
      }
    }
    executor.execute(this::drain);
  }

  /** Fails all commands without a result and accepts no more. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
    abandon("This replica is closing.");
  }

  /**
   * Fails all commands without a result. An entry that Ratis has accepted may still be committed,
   * whichever replica leads.
   */
  void abandon(String reason) {
    List<PendingEntry.PendingCommand> unsubmitted = new ArrayList<>();
    synchronized (lock) {
      while (!queue.isEmpty()) {
        unsubmitted.add(queue.poll(System.nanoTime()));
      }
    }
    unsubmitted.forEach(
        pending ->
            pending.outcome().completeExceptionally(new ConsensusException.Unavailable(reason)));
    incomplete.forEach(
        entry ->
            entry.fail(
                new ConsensusException.Indeterminate(
                    reason + " The command was in flight.", null)));
  }

  private void drain() {
    for (boolean isFirst = true; ; isFirst = false) {
      Batch next;
      synchronized (lock) {
        boolean hasCapacity =
            !paused
                && inFlight < settings.proposals().entriesInFlightMax()
                && hasRoom.getAsBoolean()
                && (isFirst || queue.isEmpty() || !waitsForMore());
        next = hasCapacity ? takeBatch() : Batch.NONE;
        if (next.commands().isEmpty()) {
          draining = false;
        } else {
          inFlight++;
          commandsInFlight += next.commands().size();
          pacing.begun(commandsInFlight + queue.size());
        }
      }
      drop(next.withdrawn());
      if (next.commands().isEmpty()) {
        return;
      }
      submit(new PendingEntry(next.commands()));
    }
  }

  private void drop(List<PendingEntry.PendingCommand> withdrawn) {
    if (!withdrawn.isEmpty()) {
      metrics.withdrawn(withdrawn.size());
      withdrawn.forEach(pending -> pending.outcome().completeExceptionally(Command.withdrawn()));
    }
  }

  /** The commands of the next entry, and those before and between them that nobody waits for. */
  private record Batch(
      List<PendingEntry.PendingCommand> commands, List<PendingEntry.PendingCommand> withdrawn) {
    static final Batch NONE = new Batch(List.of(), List.of());
  }

  private Batch takeBatch() {
    List<PendingEntry.PendingCommand> batch = new ArrayList<>(Math.min(queue.size(), 64));
    List<PendingEntry.PendingCommand> withdrawn = List.of();
    long bytes = 0;
    long now = System.nanoTime();
    while (!queue.isEmpty() && batch.size() < settings.proposals().batchCommandsMax()) {
      int next = queue.peek().command().size() + EntryCodec.COMMAND_OVERHEAD_BYTES;
      long bytesMax =
          Math.min(settings.proposals().batchBytesMax(), settings.proposals().entryBytesMax() - 64);
      if (!batch.isEmpty() && bytes + next > bytesMax) {
        break;
      }
      PendingEntry.PendingCommand pending = queue.poll(now);
      if (pending.command().begin()) {
        bytes += next;
        batch.add(pending);
      } else {
        withdrawn = withdrawn.isEmpty() ? new ArrayList<>() : withdrawn;
        withdrawn.add(pending);
      }
    }
    return new Batch(batch, withdrawn);
  }

  private void submit(PendingEntry entry) {
    long startNanos = System.nanoTime();
    incomplete.add(entry);
    entry.completed().thenRun(() -> incomplete.remove(entry));
    boolean isClosed;
    synchronized (lock) {
      isClosed = closed;
    }
    // An entry that close() does not fail is not submitted; one that is submitted is failed by
    // close().
    CompletableFuture<Optional<ConsensusException>> done =
        isClosed
            ? CompletableFuture.completedFuture(
                Optional.of(new ConsensusException.Unavailable("This replica is closing.")))
            : passToRatis(entry);
    done.exceptionally(failure -> Optional.of(unexpected(failure)))
        .thenAccept(refusal -> finish(entry, startNanos, refusal));
  }

  private CompletableFuture<Optional<ConsensusException>> passToRatis(PendingEntry entry) {
    metrics.entry(entry.commands(), entry.bytes());
    try {
      return submit.apply(entry);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static ConsensusException unexpected(Throwable failure) {
    return new ConsensusException.Indeterminate("The proposal failed.", Failures.unwrap(failure));
  }

  private void finish(PendingEntry entry, long startNanos, Optional<ConsensusException> refusal) {
    refusal.ifPresent(entry::fail);
    synchronized (lock) {
      inFlight--;
      commandsInFlight -= entry.commands();
      pacing.completed(System.nanoTime() - startNanos);
    }
    submitMore();
  }

  private int queuedCommands() {
    synchronized (lock) {
      return queue.size();
    }
  }

  private long queuedBytes() {
    synchronized (lock) {
      return queue.bytes();
    }
  }
}

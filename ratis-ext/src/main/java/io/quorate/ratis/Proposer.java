package io.quorate.ratis;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Failures;
import io.quorate.consensus.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Puts commands into log entries. While the window of entries in flight is full, what arrives waits
 * and shares the next entry: batches grow with the load and a lone command never waits.
 *
 * <p>Any thread may propose. Entries are submitted by one task at a time, in the order in which
 * their commands came.
 */
final class Proposer {
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  /** Hands an entry to Ratis. */
  interface Submit extends Function<PendingEntry, CompletableFuture<Optional<ConsensusException>>> {
    /**
     * @return completes when the entry no longer takes up the window, with what may have happened
     *     where the entry was not applied. As a value, because a stage would wrap it if it failed
     *     with it.
     */
    @Override
    CompletableFuture<Optional<ConsensusException>> apply(PendingEntry entry);
  }

  private final RatisSettings settings;
  private final Executor executor;
  private final Submit submit;
  private final ProposerMetrics metrics;

  private final Object lock = new Object();
  private final ArrayDeque<PendingEntry.Waiting> queue = new ArrayDeque<>();
  private long queuedBytes;
  private int inFlight;
  private boolean draining;
  private boolean paused;
  private boolean closed;

  /** Entries whose commands do not all have an answer. */
  private final Set<PendingEntry> unanswered = ConcurrentHashMap.newKeySet();

  Proposer(RatisSettings settings, Executor executor, Submit submit, ProposerMetrics metrics) {
    this.settings = settings;
    this.executor = executor;
    this.submit = submit;
    this.metrics = metrics;
    metrics.watchQueue(this::queuedCommands, this::queuedBytes);
  }

  CompletableFuture<Outcome> propose(Command command) {
    if (command.size() + EntryCodec.overheadBytes() > settings.entryBytesMax()) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Invalid(
              "A command has at most "
                  + (settings.entryBytesMax() - EntryCodec.overheadBytes())
                  + " bytes (raft.entry-size-max); this one has "
                  + command.size()
                  + "."));
    }
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    synchronized (lock) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new ConsensusException.Unavailable("This replica is closing."));
      }
      boolean full =
          queue.size() >= settings.queueCommandsMax()
              || queuedBytes + command.size() > settings.queueBytesMax();
      if (full && !queue.isEmpty()) {
        return CompletableFuture.failedFuture(
            new ConsensusException.Overloaded(
                "The queue of proposals is full (raft.queue-commands-max, raft.queue-size-max).",
                RETRY_AFTER));
      }
      queue.add(new PendingEntry.Waiting(command, outcome));
      queuedBytes += command.size();
      if (draining || paused || inFlight >= settings.entriesInFlightMax()) {
        return outcome;
      }
      draining = true;
    }
    executor.execute(this::drain);
    return outcome;
  }

  /** Submits nothing more until {@link #resume}. Commands wait, as many as the queue takes. */
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

  /** Fails what has no answer and takes nothing more. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
    abandon("This replica is closing.");
  }

  /** Fails what has no answer. What Ratis has may still be committed, whoever leads. */
  void abandon(String why) {
    List<PendingEntry.Waiting> never;
    synchronized (lock) {
      never = List.copyOf(queue);
      queue.clear();
      queuedBytes = 0;
    }
    never.forEach(
        one -> one.outcome().completeExceptionally(new ConsensusException.Unavailable(why)));
    unanswered.forEach(
        entry ->
            entry.fail(
                new ConsensusException.Indeterminate(why + " The command was on its way.", null)));
  }

  private void drain() {
    while (true) {
      List<PendingEntry.Waiting> batch;
      synchronized (lock) {
        boolean hasRoom = !paused && inFlight < settings.entriesInFlightMax();
        batch = hasRoom ? takeBatch() : List.of();
        if (batch.isEmpty()) {
          draining = false;
          return;
        }
        inFlight++;
      }
      submit(new PendingEntry(batch));
    }
  }

  private List<PendingEntry.Waiting> takeBatch() {
    List<PendingEntry.Waiting> batch = new ArrayList<>(Math.min(queue.size(), 64));
    long bytes = 0;
    while (!queue.isEmpty() && batch.size() < settings.batchCommandsMax()) {
      int next = queue.peek().command().size() + EntryCodec.COMMAND_OVERHEAD_BYTES;
      long most = Math.min(settings.batchBytesMax(), settings.entryBytesMax() - 64);
      if (!batch.isEmpty() && bytes + next > most) {
        break;
      }
      bytes += next;
      queuedBytes -= queue.peek().command().size();
      batch.add(queue.poll());
    }
    return batch;
  }

  private void submit(PendingEntry entry) {
    unanswered.add(entry);
    entry.answered().thenRun(() -> unanswered.remove(entry));
    boolean late;
    synchronized (lock) {
      late = closed;
    }
    // An entry that close() did not see is not submitted; one that is submitted, close() sees.
    CompletableFuture<Optional<ConsensusException>> done =
        late
            ? CompletableFuture.completedFuture(
                Optional.of(new ConsensusException.Unavailable("This replica is closing.")))
            : handOn(entry);
    done.exceptionally(failure -> Optional.of(unforeseen(failure)))
        .thenAccept(refusal -> settled(entry, refusal));
  }

  private CompletableFuture<Optional<ConsensusException>> handOn(PendingEntry entry) {
    metrics.entry(entry.commands(), entry.bytes());
    try {
      return submit.apply(entry);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static ConsensusException unforeseen(Throwable failure) {
    return new ConsensusException.Indeterminate("The proposal failed.", Failures.unwrap(failure));
  }

  private void settled(PendingEntry entry, Optional<ConsensusException> refusal) {
    refusal.ifPresent(entry::fail);
    synchronized (lock) {
      inFlight--;
      if (draining || paused || queue.isEmpty()) {
        return;
      }
      draining = true;
    }
    executor.execute(this::drain);
  }

  private int queuedCommands() {
    synchronized (lock) {
      return queue.size();
    }
  }

  private long queuedBytes() {
    synchronized (lock) {
      return queuedBytes;
    }
  }
}

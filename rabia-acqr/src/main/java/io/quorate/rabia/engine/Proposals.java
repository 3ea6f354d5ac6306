package io.quorate.rabia.engine;

import io.quorate.common.BatchPacing;
import io.quorate.common.Budget;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ProposeResult;
import io.quorate.rabia.core.Settings;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.replication.proposals.CommandQueue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Commands of this node's clients that have no result. Any thread offers them; everything else
 * happens on the replica's thread. Bounded as {@link CommandQueue} says until they are in a batch,
 * and then by the core's bounds on batches in flight. Under load, commands wait a moment for those
 * that are expected, see {@link BatchPacing}.
 */
final class Proposals {
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  /** The commands that wait for a batch, those that the core has included. */
  private final Budget waiting;

  /** Those that the core does not have. Guards itself, and {@link #closed}. */
  private final CommandQueue<PendingCommand> offered;

  /** Passed to the core and not in a batch yet, oldest first. */
  private final ArrayDeque<PendingCommand> unbatched = new ArrayDeque<>();

  private long unbatchedBytes;

  /** Written by the replica's thread. */
  private volatile long withdrawn;

  private record PendingBatch(List<PendingCommand> commands, long begunNanos) {}

  private final Map<BatchId, PendingBatch> batched = new HashMap<>();

  private int commandsBatched;

  /**
   * Batches that are executed and may have commands without a result, oldest first. Bounded by the
   * bounds of the state machine.
   */
  private final ArrayDeque<List<PendingCommand>> executed = new ArrayDeque<>();

  private final int batchCommandsMax;
  private final int batchBytesMax;
  private final BatchPacing pacing = new BatchPacing();

  /** When the offered commands no longer wait for others, if {@link #wakeFrom} is not 0. */
  private long waitEnd;

  /** The number of commands from which on the offered ones do not wait; 0 while none waits. */
  private volatile int wakeFrom;

  private boolean closed;

  /**
   * @param commandsMax maximum number of commands that wait for a batch
   * @param bytesMax maximum bytes of these commands; a command is accepted whatever its size if no
   *     other one waits
   * @param batch the bounds of a batch
   */
  Proposals(int commandsMax, long bytesMax, Settings.Bounds batch) {
    this.waiting = new Budget(commandsMax, bytesMax);
    this.offered = new CommandQueue<>("rabia", commandsMax, bytesMax);
    this.batchCommandsMax = batch.batchCommands();
    this.batchBytesMax = batch.batchBytes();
  }

  /** Queues a command. Any thread. Its payload is copied. */
  CompletableFuture<ProposeResult> offer(Command command) {
    Optional<ConsensusException> refusal =
        refusal(command.source(), command.size(), command.waitNanosMax());
    if (refusal.isPresent()) {
      return CompletableFuture.failedFuture(refusal.get());
    }
    command.awaitBegin();
    return add(PendingCommand.of(command));
  }

  /** Queues a read by consensus. Any thread. */
  CompletableFuture<ProposeResult> offerRead(Command.Source source) {
    PendingCommand read = PendingCommand.read(source);
    Optional<ConsensusException> refusal = refusal(source, read.bytes(), Long.MAX_VALUE);
    return refusal.isPresent() ? CompletableFuture.failedFuture(refusal.get()) : add(read);
  }

  /** Counts a command among those that wait, unless it is refused. */
  private Optional<ConsensusException> refusal(
      Command.Source source, int bytes, long waitNanosMax) {
    synchronized (offered) {
      Optional<ConsensusException> refusal =
          offered.refusal(source, bytes, waitNanosMax, ReplicaClock.nanos());
      return refusal.isPresent() || waiting.tryAcquireAnySizeAlone(bytes)
          ? refusal
          : Optional.of(offered.full());
    }
  }

  private CompletableFuture<ProposeResult> add(PendingCommand command) {
    synchronized (offered) {
      if (!closed) {
        offered.add(command, ReplicaClock.nanos());
        return command.outcome();
      }
    }
    waiting.release(command.bytes());
    return CompletableFuture.failedFuture(closing());
  }

  private PendingCommand poll() {
    synchronized (offered) {
      return offered.poll(ReplicaClock.nanos());
    }
  }

  private boolean hasOffered() {
    if (waiting.requests() == unbatched.size()) {
      return false;
    }
    synchronized (offered) {
      return !offered.isEmpty();
    }
  }

  /**
   * Whether the replica's thread has to run now because of the commands that are offered. Any
   * thread, after {@link #offer}.
   */
  boolean needsThread() {
    return isComplete(wakeFrom);
  }

  /**
   * Whether commands are to be taken now. Otherwise their wait for others has begun, and lasts
   * until {@link #waitEnd}, or until {@link #needsThread}.
   */
  boolean isDue(long nowNanos) {
    if (!hasOffered() || isBatchReady()) {
      return false;
    }
    int expected = Math.min(pacing.expected(), batchCommandsMax);
    if (wakeFrom == 0) {
      waitEnd = nowNanos + pacing.waitNanosMax();
    }
    // Before the commands are counted, so that either they are found here or the offer of the last
    // one finds that the thread has to run.
    wakeFrom = expected;
    return isComplete(expected) || nowNanos - waitEnd >= 0 || !unbatched.isEmpty();
  }

  private boolean isComplete(int expected) {
    return waiting.requests() >= expected || waiting.bytes() >= batchBytesMax;
  }

  /** The time until which the offered commands wait, if any do. */
  OptionalLong waitEnd() {
    return wakeFrom == 0 ? OptionalLong.empty() : OptionalLong.of(waitEnd);
  }

  /**
   * Whether the core has the commands of a whole batch. The others wait here, where they can be
   * withdrawn.
   */
  private boolean isBatchReady() {
    return unbatched.size() >= batchCommandsMax || unbatchedBytes >= batchBytesMax;
  }

  /**
   * Removes offered commands, until {@linkplain #isBatchReady a batch is ready}; the caller
   * proposes their payloads now.
   */
  List<ByteBuffer> take() {
    wakeFrom = 0;
    List<ByteBuffer> payloads = new ArrayList<>();
    while (!isBatchReady()) {
      PendingCommand next = poll();
      if (next == null) {
        break;
      }
      // Not done, unless its caller has cancelled it.
      if (!next.outcome().isDone() && next.begin().getAsBoolean()) {
        unbatched.add(next);
        unbatchedBytes += next.payload().remaining();
        payloads.add(next.payload());
      } else {
        drop(next);
      }
    }
    return payloads;
  }

  private void drop(PendingCommand command) {
    waiting.release(command.bytes());
    if (command.outcome().completeExceptionally(Command.withdrawn())) {
      withdrawn++;
    }
  }

  void batched(Effect.Batched batch, long nowNanos) {
    List<PendingCommand> commands = new ArrayList<>(batch.commands());
    long bytes = 0;
    for (int i = 0; i < batch.commands(); i++) {
      PendingCommand command = unbatched.remove();
      bytes += command.payload().remaining();
      commands.add(command);
    }
    waiting.release(batch.commands(), bytes);
    unbatchedBytes -= bytes;
    batched.put(batch.id(), new PendingBatch(commands, nowNanos));
    commandsBatched += batch.commands();
    pacing.begun(commandsBatched + waiting.requests());
  }

  void refused(Effect.Refused refused) {
    ConsensusException failure =
        refused.reason() == Effect.Refused.Reason.FULL
            ? new ConsensusException.Overloaded("Too many commands wait for a batch.", RETRY_AFTER)
            : new ConsensusException.Redirect(Optional.empty());
    for (int i = 0; i < refused.commands(); i++) {
      PendingCommand command = unbatched.removeLast();
      waiting.release(command.bytes());
      unbatchedBytes -= command.payload().remaining();
      command.outcome().completeExceptionally(failure);
    }
  }

  /** The commands of a batch that is executed now; empty if it is not a batch of this replica. */
  List<PendingCommand> executed(BatchId id, long nowNanos) {
    while (!executed.isEmpty() && isCompleted(executed.peek())) {
      executed.remove();
    }
    PendingBatch batch = batched.remove(id);
    if (batch == null) {
      return List.of();
    }
    commandsBatched -= batch.commands().size();
    pacing.completed(nowNanos - batch.begunNanos());
    executed.add(batch.commands());
    return batch.commands();
  }

  private static boolean isCompleted(List<PendingCommand> batch) {
    return batch.stream().allMatch(command -> command.outcome().isDone());
  }

  /** Fails a batch because a snapshot contains it: it took effect, and its results are lost. */
  void overtaken(BatchId id, long nowNanos) {
    executed(id, nowNanos).forEach(PendingCommand::overtaken);
  }

  /** Rejects further commands and fails those without a result. */
  void close() {
    synchronized (offered) {
      closed = true;
    }
    failOffered(closing());
    unbatched.forEach(command -> command.outcome().completeExceptionally(closing()));
    failIndeterminate("This replica closed before the command had a result.");
  }

  /**
   * Fails the commands without a result, because this replica may have none for long. Those passed
   * to the core may still be decided and executed.
   */
  void failAll(String reason) {
    failOffered(new ConsensusException.Unavailable(reason));
    failIndeterminate(reason);
  }

  private void failOffered(ConsensusException failure) {
    wakeFrom = 0;
    for (PendingCommand next = poll(); next != null; next = poll()) {
      waiting.release(next.bytes());
      next.outcome().completeExceptionally(failure);
    }
  }

  private void failIndeterminate(String reason) {
    ConsensusException indeterminate = new ConsensusException.Indeterminate(reason, null);
    Stream.of(
            Stream.of(unbatched),
            batched.values().stream().map(PendingBatch::commands),
            executed.stream())
        .flatMap(each -> each)
        .flatMap(Collection::stream)
        .forEach(command -> command.outcome().completeExceptionally(indeterminate));
  }

  /** Commands that were not proposed, because they were withdrawn. Any thread. */
  long withdrawnCommands() {
    return withdrawn;
  }

  int waitingCommands() {
    return waiting.requests();
  }

  long waitingBytes() {
    return waiting.bytes();
  }

  private static ConsensusException closing() {
    return new ConsensusException.Unavailable("This replica is closing.");
  }
}

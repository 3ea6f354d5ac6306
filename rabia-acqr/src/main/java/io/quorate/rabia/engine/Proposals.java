package io.quorate.rabia.engine;

import io.quorate.common.Budget;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ProposeResult;
import io.quorate.rabia.core.Effect;
import io.quorate.rabia.protocol.BatchId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * Commands of this node's clients that have no result. Any thread offers them; everything else
 * happens on the replica's thread. Bounded in commands and bytes until they are in a batch, and
 * then by the core's bounds on batches in flight.
 */
final class Proposals {
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  /** The commands that wait for a batch. */
  private final Budget waiting;

  private final Queue<PendingCommand> offered = new ConcurrentLinkedQueue<>();

  /** Passed to the core and not in a batch yet, oldest first. */
  private final ArrayDeque<PendingCommand> unbatched = new ArrayDeque<>();

  private final Map<BatchId, List<PendingCommand>> batched = new HashMap<>();

  /**
   * Batches that are executed and may have commands without a result, oldest first. Bounded by the
   * bounds of the state machine.
   */
  private final ArrayDeque<List<PendingCommand>> executed = new ArrayDeque<>();

  private volatile boolean closed;

  /**
   * @param commandsMax maximum number of commands that wait for a batch
   * @param bytesMax maximum bytes of these commands; a command is accepted whatever its size if no
   *     other one waits
   */
  Proposals(int commandsMax, long bytesMax) {
    this.waiting = new Budget(commandsMax, bytesMax);
  }

  /** Queues a command. Any thread. The payload is kept beyond the result and must not change. */
  CompletableFuture<ProposeResult> offer(ByteBuffer payload) {
    if (!waiting.tryAcquireAnySizeAlone(payload.remaining())) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Overloaded(
              "The queue of proposals is full (rabia.queue-commands-max, rabia.queue-size-max).",
              RETRY_AFTER));
    }
    PendingCommand command = PendingCommand.of(payload);
    offered.add(command);
    if (closed) {
      // A concurrent close may have missed this command; failing it twice does no harm.
      command.outcome().completeExceptionally(closing());
    }
    return command.outcome();
  }

  boolean isIdle() {
    return offered.isEmpty();
  }

  /** Removes the offered commands; the caller proposes their payloads now. */
  List<ByteBuffer> take() {
    List<ByteBuffer> payloads = new ArrayList<>();
    for (PendingCommand next = offered.poll(); next != null; next = offered.poll()) {
      if (next.outcome().isDone()) {
        // Its caller has cancelled it.
        waiting.release(next.payload().remaining());
      } else {
        unbatched.add(next);
        payloads.add(next.payload());
      }
    }
    return payloads;
  }

  void batched(Effect.Batched batch) {
    List<PendingCommand> commands = new ArrayList<>(batch.commands());
    long bytes = 0;
    for (int i = 0; i < batch.commands(); i++) {
      PendingCommand command = unbatched.remove();
      bytes += command.payload().remaining();
      commands.add(command);
    }
    waiting.release(batch.commands(), bytes);
    batched.put(batch.id(), commands);
  }

  void refused(Effect.Refused refused) {
    ConsensusException failure =
        refused.reason() == Effect.Refused.Reason.FULL
            ? new ConsensusException.Overloaded("Too many commands wait for a batch.", RETRY_AFTER)
            : new ConsensusException.Redirect(Optional.empty());
    for (int i = 0; i < refused.commands(); i++) {
      PendingCommand command = unbatched.removeLast();
      waiting.release(command.payload().remaining());
      command.outcome().completeExceptionally(failure);
    }
  }

  /** The commands of a batch that is executed now; empty if it is not a batch of this replica. */
  List<PendingCommand> executed(BatchId id) {
    while (!executed.isEmpty() && isCompleted(executed.peek())) {
      executed.remove();
    }
    List<PendingCommand> commands = batched.remove(id);
    if (commands == null) {
      return List.of();
    }
    executed.add(commands);
    return commands;
  }

  private static boolean isCompleted(List<PendingCommand> batch) {
    return batch.stream().allMatch(command -> command.outcome().isDone());
  }

  /** Fails a batch because a snapshot contains it: it took effect, and its results are lost. */
  void overtaken(BatchId id) {
    executed(id).forEach(PendingCommand::overtaken);
  }

  /** Rejects further commands and fails those without a result. */
  void close() {
    closed = true;
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
    for (PendingCommand next = offered.poll(); next != null; next = offered.poll()) {
      waiting.release(next.payload().remaining());
      next.outcome().completeExceptionally(failure);
    }
  }

  private void failIndeterminate(String reason) {
    ConsensusException indeterminate = new ConsensusException.Indeterminate(reason, null);
    Stream.of(Stream.of(unbatched), batched.values().stream(), executed.stream())
        .flatMap(each -> each)
        .flatMap(Collection::stream)
        .forEach(command -> command.outcome().completeExceptionally(indeterminate));
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

package io.quorate.rabia.engine;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.Position;
import io.quorate.rabia.RabiaPoints;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Passes decided slots to the state machine, in order and within its capacity. Slots without
 * commands are not passed one by one: the next slot with commands, or the last one without, stands
 * for all of them.
 *
 * <p>Used by the replica's thread. Holds at most alpha slots; their batch bodies count against the
 * core's bound on bodies.
 */
final class StateMachineFeed {
  /**
   * @param waiting the commands of this node, whose callers wait; empty for the batch of another
   *     replica
   */
  private record Slot(Position at, List<ByteBuffer> commands, List<PendingCommand> waiting) {
    CommittedBatch.Results results() {
      return waiting.isEmpty()
          ? CommittedBatch.Results.UNWANTED
          : (command, result) ->
              waiting.get(command).outcome().complete(new ProposeResult(at, result));
    }
  }

  private final ReplicatedStateMachine machine;
  private final ArrayDeque<Slot> queue = new ArrayDeque<>();
  private CompletableFuture<Void> capacity = CompletableFuture.completedFuture(null);
  private Position submitted;
  private boolean paused;

  /**
   * @param submitted the position that the state machine holds already
   */
  StateMachineFeed(ReplicatedStateMachine machine, Position submitted) {
    this.machine = machine;
    this.submitted = submitted;
  }

  /**
   * Queues a slot. Reads by consensus among its commands complete here, since they are ordered now.
   *
   * @param own the commands of its batch, in order; empty for the batch of another replica
   */
  void add(Effect.Execute slot, List<PendingCommand> own) {
    if (slot.batch().isEmpty() || slot.batch().get().body() instanceof Body.Reconfiguration) {
      slot.batch().ifPresent(change -> RabiaPoints.CHANGE_DECIDED.passed(slot.at()));
      queue.add(new Slot(slot.at(), List.of(), List.of()));
      return;
    }
    Body.Commands body = (Body.Commands) slot.batch().get().body();
    List<ByteBuffer> commands = new ArrayList<>(body.commands().size());
    List<PendingCommand> waiting = new ArrayList<>(own.size());
    for (int i = 0; i < body.commands().size(); i++) {
      if (body.commands().get(i).hasRemaining()) {
        commands.add(body.commands().get(i));
        if (!own.isEmpty()) {
          waiting.add(own.get(i));
        }
      } else if (!own.isEmpty()) {
        own.get(i).outcome().complete(new ProposeResult(slot.at(), PendingCommand.READ));
      }
    }
    queue.add(new Slot(slot.at(), commands, waiting));
  }

  /**
   * Passes the next slot, if there is one and the state machine has capacity. Does not block.
   *
   * @param onCapacity called on any thread when the state machine has capacity again, if it has
   *     none after this slot
   * @return whether a slot was passed
   */
  boolean submitNext(Runnable onCapacity) {
    if (paused || queue.isEmpty()) {
      return false;
    }
    if (!capacity.isDone()) {
      return false;
    }
    capacity.join();
    Slot slot = queue.remove();
    while (slot.commands().isEmpty() && !queue.isEmpty()) {
      slot = queue.remove();
    }
    capacity =
        machine
            .committed(new CommittedBatch(slot.at(), slot.commands(), slot.results()))
            .toCompletableFuture();
    if (!capacity.isDone()) {
      capacity.whenComplete((done, failure) -> onCapacity.run());
    }
    submitted = slot.at();
    return true;
  }

  /** The last slot that was passed to the state machine. */
  Position submitted() {
    return submitted;
  }

  /** Whether slots are queued for which the state machine has no capacity. */
  boolean isWaiting() {
    return !queue.isEmpty() && !capacity.isDone();
  }

  /** Passes no slots until {@link #resume}. */
  void pause() {
    paused = true;
  }

  /** Continues, after {@code state} if a snapshot up to there was installed. */
  void resume(Position state) {
    paused = false;
    while (!queue.isEmpty() && state.covers(queue.peek().at())) {
      queue.remove().waiting().forEach(PendingCommand::overtaken);
    }
    if (state.compareTo(submitted) > 0) {
      submitted = state;
    }
  }

  /** Blocks until the state machine has capacity. Only before the replica is started. */
  void awaitCapacity() {
    capacity.join();
  }
}

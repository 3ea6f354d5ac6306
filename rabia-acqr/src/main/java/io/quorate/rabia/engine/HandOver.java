package io.quorate.rabia.engine;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.Outcome;
import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.rabia.core.Effect;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Hands slots to the state machine, in order and as it has room. Slots without commands are not
 * handed over one by one: the next one with commands, or the last of them, stands for all.
 *
 * <p>Used by the replica's thread. Holds no more slots than alpha, and bodies that the core's bound
 * on bodies counts.
 */
final class HandOver {
  /**
   * @param waiting those who wait for the commands; empty if nobody does
   */
  private record Slot(Position at, List<ByteBuffer> commands, List<PendingCommand> waiting) {
    CommittedBatch.Results results() {
      return waiting.isEmpty()
          ? CommittedBatch.Results.UNWANTED
          : (command, result) -> waiting.get(command).outcome().complete(new Outcome(at, result));
    }
  }

  private final ReplicatedStateMachine machine;
  private final ArrayDeque<Slot> queue = new ArrayDeque<>();
  private CompletableFuture<Void> room = CompletableFuture.completedFuture(null);
  private Position taken;
  private boolean paused;

  /**
   * @param taken what the state machine holds already
   */
  HandOver(ReplicatedStateMachine machine, Position taken) {
    this.machine = machine;
    this.taken = taken;
  }

  /**
   * Queues a slot. Reads among its commands are answered here: they have their place.
   *
   * @param own those who wait for the commands of its batch, in order; empty if it is another
   *     replica's
   */
  void add(Effect.Execute slot, List<PendingCommand> own) {
    if (slot.batch().isEmpty() || !(slot.batch().get().body() instanceof Body.Commands body)) {
      queue.add(new Slot(slot.at(), List.of(), List.of()));
      return;
    }
    List<ByteBuffer> commands = new ArrayList<>(body.commands().size());
    List<PendingCommand> waiting = new ArrayList<>(own.size());
    for (int i = 0; i < body.commands().size(); i++) {
      if (body.commands().get(i).hasRemaining()) {
        commands.add(body.commands().get(i));
        if (!own.isEmpty()) {
          waiting.add(own.get(i));
        }
      } else if (!own.isEmpty()) {
        own.get(i).outcome().complete(new Outcome(slot.at(), PendingCommand.READ));
      }
    }
    queue.add(new Slot(slot.at(), commands, waiting));
  }

  /**
   * Hands over the next slot, if there is one and room for it. Does not block.
   *
   * @param whenRoom called, on any thread, when it is worth asking again, if there is no room
   * @return whether the state machine has taken something
   */
  boolean next(Runnable whenRoom) {
    if (paused || queue.isEmpty()) {
      return false;
    }
    if (!room.isDone()) {
      return false;
    }
    room.join();
    Slot slot = queue.remove();
    while (slot.commands().isEmpty() && !queue.isEmpty()) {
      slot = queue.remove();
    }
    room =
        machine
            .committed(new CommittedBatch(slot.at(), slot.commands(), slot.results()))
            .toCompletableFuture();
    if (!room.isDone()) {
      room.whenComplete((done, failure) -> whenRoom.run());
    }
    taken = slot.at();
    return true;
  }

  /** The last slot that the state machine has taken. */
  Position taken() {
    return taken;
  }

  /** Whether the state machine has no room for what is queued. */
  boolean isWaiting() {
    return !queue.isEmpty() && !room.isDone();
  }

  /** Hands nothing over until {@link #resume}. */
  void pause() {
    paused = true;
  }

  /** Goes on, beyond {@code state} if the state machine has jumped there. */
  void resume(Position state) {
    paused = false;
    while (!queue.isEmpty() && state.covers(queue.peek().at())) {
      queue.remove().waiting().forEach(PendingCommand::overtaken);
    }
    if (state.compareTo(taken) > 0) {
      taken = state;
    }
  }

  /** Whether the state machine has room; waits for it. For the time before a replica speaks. */
  void awaitRoom() {
    room.join();
  }
}

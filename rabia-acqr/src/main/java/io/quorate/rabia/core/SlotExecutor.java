package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Delivers decided slots to the state machine in order (C8), and maintains the state that follows
 * from their execution: the decision log, the configurations, and the release of bodies and slots.
 */
final class SlotExecutor {
  /** A delivered slot, with its batch unless the slot is null or a duplicate without its body. */
  private record Delivered(Slot slot, Batch batch, boolean effective) {}

  private final Context context;
  private final ProposedWrites proposedWrites;
  private final DecisionLog decisionLog;
  private final ArrayDeque<Delivered> unconfirmed = new ArrayDeque<>();
  private ExecutedBatches executedBatches;
  private Position executed;
  private Position stateDurable;
  private long delivered;

  /** The first slot that waits for its body, or -1. */
  private long missingBodyIndex = -1;

  SlotExecutor(
      Context context, ProposedWrites proposedWrites, Checkpoint start, Position stateDurable) {
    this.context = context;
    this.proposedWrites = proposedWrites;
    this.decisionLog = new DecisionLog(context.self, context.settings, start);
    this.executedBatches = ExecutedBatches.of(start.executed());
    this.executed = start.at();
    this.delivered = start.at().index();
    this.stateDurable = stateDurable;
  }

  /** The last slot that the state machine is known to have accepted. */
  Position executed() {
    return executed;
  }

  /** The last slot delivered to the state machine. */
  long delivered() {
    return delivered;
  }

  Position stateDurable() {
    return stateDurable;
  }

  /** Whether the executed slots cover the durable state of the state machine. */
  boolean hasCaughtUpWithState() {
    return executed.index() >= stateDurable.index();
  }

  DecisionLog decisionLog() {
    return decisionLog;
  }

  boolean hasExecuted(BatchId id) {
    return executedBatches.contains(id);
  }

  /** The slot that cannot be executed because its body is missing, or null. */
  Slot slotWithoutBody() {
    return context.window.get(missingBodyIndex);
  }

  /** Delivers decided slots up to the first gap or missing body. */
  void deliver() {
    missingBodyIndex = -1;
    Slot slot = context.window.get(delivered + 1);
    while (slot != null && slot.isDecided()) {
      BatchId id = slot.decision();
      boolean duplicate = !id.isNone() && executedBatches.contains(id);
      Batch batch = id.isNone() ? null : context.bodies.get(id);
      if (!id.isNone() && !duplicate && batch == null) {
        missingBodyIndex = slot.index();
        return;
      }
      deliverSlot(slot, batch, !id.isNone() && !duplicate);
      slot = context.window.get(delivered + 1);
    }
  }

  private void deliverSlot(Slot slot, Batch batch, boolean effective) {
    assert slot.index() == delivered + 1 : slot.index() + " after " + delivered;
    delivered = slot.index();
    unconfirmed.add(new Delivered(slot, batch, effective));
    if (effective) {
      logBody(slot, batch);
      executedBatches.add(slot.decision());
      context.counters.batches++;
    } else if (slot.decision().isNone()) {
      context.counters.nulls++;
    } else {
      context.counters.duplicates++;
    }
    if (delivered <= stateDurable.index()) {
      // The state contains the slot from before a restart, or from a snapshot.
      if (effective) {
        emitOvertaken(slot.decision());
      }
      executed(slot.at());
    } else {
      context.effects.emit(
          new Effect.Execute(slot.at(), effective ? Optional.of(batch) : Optional.empty()));
    }
  }

  /**
   * Logs the body, so that the slot can be executed again after a restart and sent to other
   * replicas.
   */
  private void logBody(Slot slot, Batch batch) {
    if (!slot.hasBodyInLog()) {
      Decided decided = new Decided(batch.id(), Optional.of(batch));
      context.effects.appendLazily(new LogRecord.SlotDecided(slot.at(), decided));
      slot.isBodyRecorded = true;
    }
  }

  /** Reports to the callers that wait for its result that an own batch is not delivered here. */
  private void emitOvertaken(BatchId id) {
    if (id.origin().equals(context.self) && !context.effects.isReplaying()) {
      context.effects.emit(new Effect.Overtaken(id));
    }
  }

  /** Processes the confirmation that the state machine has accepted the slots up to here. */
  void executed(Position through) {
    while (!unconfirmed.isEmpty() && through.covers(unconfirmed.peek().slot().at())) {
      Delivered next = unconfirmed.poll();
      Position at = next.slot().at();
      executed = at;
      decisionLog.append(at, next.slot().decision(), next.batch());
      if (next.effective() && next.batch().body() instanceof Body.Reconfiguration change) {
        context.configurations.apply(at.index(), change);
      }
    }
    context.window.advance(executed.index());
    context.configurations.prune(executed.index(), stateDurable.index());
    context.bodies.release(executed.index());
    proposedWrites.executed(executed.index());
  }

  /** The newest incarnation of an origin of which a batch was executed; -1 if there is none. */
  long newestIncarnation(NodeId origin) {
    return executedBatches.newestIncarnation(origin);
  }

  void stateDurable(Position through) {
    if (through.compareTo(stateDurable) > 0) {
      stateDurable = through;
    }
  }

  /** Continues from the checkpoint of an installed snapshot. */
  void install(Checkpoint checkpoint) {
    for (long index = delivered + 1; index <= checkpoint.at().index(); index++) {
      Slot slot = context.window.get(index);
      if (slot != null && slot.isDecided() && !executedBatches.contains(slot.decision())) {
        emitOvertaken(slot.decision());
      }
    }
    unconfirmed.clear();
    executed = checkpoint.at();
    delivered = executed.index();
    executedBatches = ExecutedBatches.of(checkpoint.executed());
    decisionLog.reset(checkpoint);
    context.configurations.reset(checkpoint.configurations());
    context.window.advance(delivered);
    context.bodies.release(delivered);
    proposedWrites.executed(delivered);
  }
}

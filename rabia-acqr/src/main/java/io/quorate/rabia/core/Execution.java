package io.quorate.rabia.core;

import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Hands decided slots to the state machine, in order (C8), and keeps what follows from having
 * executed them: the ledger, the members, what is forgotten.
 */
final class Execution {
  /** A slot handed over, with its batch unless it was null or a duplicate without its body. */
  private record Delivered(Slot slot, Batch batch, boolean effective) {}

  private final Context context;
  private final ReadShares shares;
  private final Ledger ledger;
  private final ArrayDeque<Delivered> unconfirmed = new ArrayDeque<>();
  private ExecutedBatches executedBatches;
  private Position executed;
  private Position stateDurable;
  private long delivered;

  /** The first slot that waits for a body, or -1. */
  private long lacksBody = -1;

  Execution(Context context, ReadShares shares, Checkpoint start, Position stateDurable) {
    this.context = context;
    this.shares = shares;
    this.ledger = new Ledger(context.self, context.settings, start);
    this.executedBatches = ExecutedBatches.of(start.executed());
    this.executed = start.at();
    this.delivered = start.at().index();
    this.stateDurable = stateDurable;
  }

  /** The last slot that the state machine is known to have taken. */
  Position executed() {
    return executed;
  }

  /** The last slot handed over. */
  long delivered() {
    return delivered;
  }

  Position stateDurable() {
    return stateDurable;
  }

  /** Whether the state machine holds what the log says, and no more. */
  boolean hasCaughtUpWithState() {
    return executed.index() >= stateDurable.index();
  }

  Ledger ledger() {
    return ledger;
  }

  boolean hasExecuted(BatchId id) {
    return executedBatches.contains(id);
  }

  /** The slot that cannot be executed for want of its body, or null. */
  Slot slotWithoutBody() {
    return context.window.get(lacksBody);
  }

  /** Hands over what is decided, as far as it goes without a gap. */
  void deliver() {
    lacksBody = -1;
    Slot slot = context.window.get(delivered + 1);
    while (slot != null && slot.isDecided()) {
      BatchId id = slot.decision();
      boolean duplicate = !id.isNone() && executedBatches.contains(id);
      Batch batch = id.isNone() ? null : context.bodies.get(id);
      if (!id.isNone() && !duplicate && batch == null) {
        lacksBody = slot.index();
        return;
      }
      hand(slot, batch, !id.isNone() && !duplicate);
      slot = context.window.get(delivered + 1);
    }
  }

  private void hand(Slot slot, Batch batch, boolean effective) {
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
      // The state has had it before a restart, or has it from a snapshot.
      if (effective) {
        overtaken(slot.decision());
      }
      executed(slot.at());
    } else {
      context.journal.emit(
          new Effect.Execute(slot.at(), effective ? Optional.of(batch) : Optional.empty()));
    }
  }

  /** What is executed can be executed again after a restart, and be given to others. */
  private void logBody(Slot slot, Batch batch) {
    if (!slot.hasBodyInLog()) {
      Decided decided = new Decided(batch.id(), Optional.of(batch));
      context.journal.appendLazily(new LogRecord.SlotDecided(slot.at(), decided));
      slot.isBodyRecorded = true;
    }
  }

  /** Whoever waits for an own batch that is not handed over here is to hear that. */
  private void overtaken(BatchId id) {
    if (id.origin().equals(context.self) && !context.journal.isReplaying()) {
      context.journal.emit(new Effect.Overtaken(id));
    }
  }

  /** The state machine has taken the slots up to here. */
  void executed(Position through) {
    while (!unconfirmed.isEmpty() && through.covers(unconfirmed.peek().slot().at())) {
      Delivered next = unconfirmed.poll();
      Position at = next.slot().at();
      executed = at;
      ledger.append(at, next.slot().decision(), next.batch());
      if (next.effective() && next.batch().body() instanceof Body.Reconfiguration change) {
        context.membership.apply(at.index(), change);
      }
    }
    context.window.advance(executed.index());
    context.membership.prune(executed.index(), stateDurable.index());
    context.bodies.settle(executed.index());
    shares.executed(executed.index());
  }

  void stateDurable(Position through) {
    if (through.compareTo(stateDurable) > 0) {
      stateDurable = through;
    }
  }

  /** The state machine has jumped; so does everything here. */
  void install(Checkpoint checkpoint) {
    for (long index = delivered + 1; index <= checkpoint.at().index(); index++) {
      Slot slot = context.window.get(index);
      if (slot != null && slot.isDecided() && !executedBatches.contains(slot.decision())) {
        overtaken(slot.decision());
      }
    }
    unconfirmed.clear();
    executed = checkpoint.at();
    delivered = executed.index();
    executedBatches = ExecutedBatches.of(checkpoint.executed());
    ledger.reset(checkpoint);
    context.membership.reset(checkpoint.configurations());
    context.window.advance(delivered);
    context.bodies.settle(delivered);
    shares.executed(delivered);
  }
}

package io.quorate.rabia.core;

import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.LogRecord;

/**
 * S1: lets go of old slots in the log. A checkpoint of the core is written first; when it is on
 * disk and the state machine's durable state has come up to it, what is older can go.
 */
final class Checkpoints {
  private final Context context;
  private final Execution execution;
  private final SlotReservation reservation;
  private Position pending = Position.NONE;
  private Position truncated = Position.NONE;
  private Lsn pendingLsn = Lsn.START;

  Checkpoints(Context context, Execution execution, SlotReservation reservation) {
    this.context = context;
    this.execution = execution;
    this.reservation = reservation;
  }

  /** The state machine has become durable up to some later slot. */
  void stateDurable() {
    advance();
    if (execution.executed().compareTo(pending) > 0 && pending.equals(truncated)) {
      write();
    }
  }

  /** The state machine has jumped: only a checkpoint says what the core knows there. */
  void installed() {
    write();
  }

  private void write() {
    Checkpoint checkpoint =
        execution.ledger().checkpointAt(execution.executed().index()).orElseThrow();
    pending = checkpoint.at();
    pendingLsn =
        context.journal.append(new LogRecord.Checkpointed(checkpoint, reservation.current()));
  }

  void advance() {
    if (pending.compareTo(truncated) > 0
        && context.journal.isDurable(pendingLsn)
        && execution.stateDurable().covers(pending)) {
      truncated = pending;
      context.journal.emit(new Effect.Truncate(truncated));
    }
  }
}

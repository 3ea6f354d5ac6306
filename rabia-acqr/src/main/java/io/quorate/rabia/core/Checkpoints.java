package io.quorate.rabia.core;

import io.quorate.model.Position;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.LogRecord;

/**
 * Truncates the log (S1). A checkpoint of the core is written first. When it is on disk and the
 * durable state of the state machine covers it, older records can be deleted.
 */
final class Checkpoints {
  private final Context context;
  private final SlotExecutor execution;
  private final SlotReservation reservation;
  private Position pending = Position.NONE;
  private Position truncated = Position.NONE;
  private Lsn pendingLsn = Lsn.START;

  Checkpoints(Context context, SlotExecutor execution, SlotReservation reservation) {
    this.context = context;
    this.execution = execution;
    this.reservation = reservation;
  }

  /** Processes an advance of the durable position of the state machine. */
  void stateDurable() {
    advance();
    if (execution.executed().compareTo(pending) > 0 && pending.equals(truncated)) {
      write();
    }
  }

  /**
   * Writes a checkpoint after a snapshot was installed: only a checkpoint holds the core's state at
   * that position.
   */
  void installed() {
    write();
  }

  private void write() {
    Checkpoint checkpoint =
        execution.decisionLog().checkpointAt(execution.executed().index()).orElseThrow();
    pending = checkpoint.at();
    pendingLsn =
        context.effects.append(new LogRecord.Checkpointed(checkpoint, reservation.current()));
  }

  void advance() {
    if (pending.compareTo(truncated) > 0
        && context.effects.isDurable(pendingLsn)
        && execution.stateDurable().covers(pending)) {
      truncated = pending;
      context.effects.emit(new Effect.Truncate(truncated));
    }
  }
}

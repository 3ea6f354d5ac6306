package io.quorate.rabia.protocol;

import io.quorate.consensus.Position;
import java.util.Optional;

/** A record that a replica writes to its log (P0 and P1). */
public sealed interface LogRecord {

  /** A record that is obsolete once a snapshot covers its slot. */
  sealed interface OfSlot extends LogRecord {
    Position at();
  }

  /**
   * Precedes every batch of an incarnation, and all CONTENT and SKIP for own slots before {@code
   * end} (O4). The last reservation in the log counts.
   *
   * @param end the first slot that is not reserved
   */
  record Reservation(long incarnation, long end) implements LogRecord {}

  /**
   * @param batch the batch with its body; empty for ⊥
   */
  record Proposed(Position at, BatchId id, Optional<Batch> batch) implements OfSlot {}

  record StateChosen(Position at, int phase, boolean one, BatchId candidate) implements OfSlot {}

  record Voted(Position at, int phase, Ballot ballot, BatchId candidate) implements OfSlot {}

  /**
   * A decision. No message waits for it, because it can be derived again. It saves a restarted
   * replica from requesting the decision.
   *
   * @param decided carries the body if no {@link Proposed} of the slot does
   */
  record SlotDecided(Position at, Decided decided) implements OfSlot {}

  /**
   * The state of the core. When the durable state of the state machine is at least as new, records
   * of older slots can be deleted.
   */
  record Checkpointed(Checkpoint checkpoint, Reservation reservation) implements LogRecord {}
}

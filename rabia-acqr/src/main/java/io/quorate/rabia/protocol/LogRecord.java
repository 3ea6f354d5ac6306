package io.quorate.rabia.protocol;

import io.quorate.consensus.Position;
import java.util.Optional;

/** What a replica writes to its log (PROTOCOLS 3.1). */
public sealed interface LogRecord {

  /** A record that is of no use once a snapshot covers its slot. */
  sealed interface OfSlot extends LogRecord {
    Position at();
  }

  /**
   * Precedes any batch of an incarnation, and any content or skip of an own slot before {@code end}
   * (O4). The last one counts.
   *
   * @param end the first slot that is not reserved
   */
  record Reservation(long incarnation, long end) implements LogRecord {}

  /**
   * @param batch the body; empty for ⊥
   */
  record Proposed(Position at, BatchId id, Optional<Batch> batch) implements OfSlot {}

  record StateChosen(Position at, int phase, boolean one, BatchId candidate) implements OfSlot {}

  record Voted(Position at, int phase, Ballot ballot, BatchId candidate) implements OfSlot {}

  /**
   * A decision. Nothing waits for it: it could be derived again. It spares a restarted replica from
   * asking.
   *
   * @param decided carries the body where no {@link Proposed} of the slot does
   */
  record SlotDecided(Position at, Decided decided) implements OfSlot {}

  /** The core's own state; with a state machine's state at least as new, older slots can go. */
  record Checkpointed(Checkpoint checkpoint, Reservation reservation) implements LogRecord {}
}

package io.quorate.rabia.protocol;

import io.quorate.model.Position;
import java.util.Optional;

/** A record that a replica writes to its log (P0 and P1). */
public sealed interface LogRecord {

  /**
   * The kinds of records, one for each record. A switch expression over them compiles only if it
   * covers every record.
   */
  enum Kind {
    RESERVATION(1),
    PROPOSED(2),
    STATE_CHOSEN(3),
    VOTED(4),
    SLOT_DECIDED(5),
    CHECKPOINTED(6);

    private static final Kind[] ALL = values();

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** The first byte of the encoding. */
    public int code() {
      return code;
    }

    /** The kind with this code; empty if there is none. */
    public static Optional<Kind> of(int code) {
      for (Kind kind : ALL) {
        if (kind.code == code) {
          return Optional.of(kind);
        }
      }
      return Optional.empty();
    }
  }

  Kind kind();

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
  record Reservation(long incarnation, long end) implements LogRecord {
    @Override
    public Kind kind() {
      return Kind.RESERVATION;
    }
  }

  /**
   * @param batch the batch with its body; empty for ⊥
   */
  record Proposed(Position at, BatchId id, Optional<Batch> batch) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.PROPOSED;
    }
  }

  record StateChosen(Position at, int phase, boolean one, BatchId candidate) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.STATE_CHOSEN;
    }
  }

  record Voted(Position at, int phase, Ballot ballot, BatchId candidate) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.VOTED;
    }
  }

  /**
   * A decision. No message waits for it, because it can be derived again. It saves a restarted
   * replica from requesting the decision.
   *
   * @param decided carries the body if no {@link Proposed} of the slot does
   */
  record SlotDecided(Position at, Decided decided) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.SLOT_DECIDED;
    }
  }

  /**
   * The state of the core. When the durable state of the state machine is at least as new, records
   * of older slots can be deleted.
   */
  record Checkpointed(Checkpoint checkpoint, Reservation reservation) implements LogRecord {
    @Override
    public Kind kind() {
      return Kind.CHECKPOINTED;
    }
  }
}

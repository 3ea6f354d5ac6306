package io.quorate.rabia.protocol;

import io.quorate.model.Position;
import java.util.List;
import java.util.Optional;

/**
 * A message between replicas. Every message may be lost, duplicated, delayed and reordered. A
 * {@link Position} is a slot and the epoch whose members decide it.
 */
public sealed interface Message {

  /**
   * The kinds of messages, one for each record. A switch expression over them compiles only if it
   * covers every message.
   */
  enum Kind {
    CONTENT(1),
    REQUEST(2),
    PROPOSAL(3),
    SKIP(5),
    STATE(6),
    VOTE(7),
    DECISION(8),
    INQUIRY(9),
    FETCH_BODY(10),
    FETCHED_BODY(11),
    FETCH_DECISIONS(12),
    DECISIONS(13),
    SNAPSHOT_OFFER(14),
    STATUS(15);

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

  /** Whether the bodies in the message match their ids. Reads all of them. */
  default boolean isIntact() {
    return bodies().stream().allMatch(Batch::isIntact);
  }

  /** The size of the bodies in the message, in bytes. */
  default int bodyBytes() {
    int bytes = 0;
    for (Batch batch : bodies()) {
      bytes += batch.size();
    }
    return bytes;
  }

  private List<Batch> bodies() {
    return switch (kind()) {
      case CONTENT -> List.of(((Content) this).batch());
      case REQUEST -> List.of(((Request) this).batch());
      case FETCHED_BODY -> List.of(((FetchedBody) this).batch());
      case DECISIONS ->
          ((Decisions) this).decided().stream().flatMap(one -> one.batch().stream()).toList();
      case PROPOSAL,
          SKIP,
          STATE,
          VOTE,
          DECISION,
          INQUIRY,
          FETCH_BODY,
          FETCH_DECISIONS,
          SNAPSHOT_OFFER,
          STATUS ->
          List.of();
    };
  }

  /** A message about one slot. */
  sealed interface OfSlot extends Message {
    Position at();
  }

  /** A message of the Weak-MVC rounds, which its sender records before it sends it (P0). */
  sealed interface Recorded extends OfSlot permits Proposal, State, Vote {
    /** From 1; 0 for a proposal. */
    int phase();
  }

  /** CONTENT under owned slots: the owner's batch for its slot. */
  record Content(Position at, Batch batch) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.CONTENT;
    }
  }

  /** CONTENT under the published chooser: a batch for the queue of every replica. */
  record Request(Batch batch) implements Message {
    @Override
    public Kind kind() {
      return Kind.REQUEST;
    }
  }

  /**
   * PROPOSAL. The sender has the body of {@code id} on disk.
   *
   * @param id {@link BatchId#NONE} for ⊥
   */
  record Proposal(Position at, BatchId id) implements Recorded {
    @Override
    public Kind kind() {
      return Kind.PROPOSAL;
    }

    @Override
    public int phase() {
      return 0;
    }
  }

  /**
   * SKIP: for the slots that the sender owns from {@code from} to {@code to}, inclusive, the sender
   * has issued no content and never will.
   */
  record Skip(Position from, long to) implements Message {
    @Override
    public Kind kind() {
      return Kind.SKIP;
    }
  }

  /**
   * STATE.
   *
   * @param phase from 1
   * @param candidate the one batch that can win the slot; {@link BatchId#NONE} if unknown (C6)
   */
  record State(Position at, int phase, boolean one, BatchId candidate) implements Recorded {
    @Override
    public Kind kind() {
      return Kind.STATE;
    }
  }

  /** VOTE; phase and candidate as in {@link State}. */
  record Vote(Position at, int phase, Ballot ballot, BatchId candidate) implements Recorded {
    @Override
    public Kind kind() {
      return Kind.VOTE;
    }
  }

  /** DECISION: the response to any message about a slot that is decided (C9). */
  record Decision(Position at, BatchId id) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.DECISION;
    }
  }

  /**
   * Requests the receiver's own messages of this slot from a phase on, or the decision (T1, T2).
   */
  record Inquiry(Position at, int phase) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.INQUIRY;
    }
  }

  /** FETCH: requests the body of a batch that may win, or has won, a slot. */
  record FetchBody(Position at, BatchId id) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.FETCH_BODY;
    }
  }

  /** BODY: the response to {@link FetchBody}. */
  record FetchedBody(Position at, Batch batch) implements OfSlot {
    @Override
    public Kind kind() {
      return Kind.FETCHED_BODY;
    }
  }

  /**
   * FETCH: requests decisions and bodies from a slot on (T3). A joining replica, which knows no
   * slot, sends -1.
   */
  record FetchDecisions(long from) implements Message {
    @Override
    public Kind kind() {
      return Kind.FETCH_DECISIONS;
    }
  }

  /** Consecutive decisions; the first one is that of slot {@code from}. */
  record Decisions(long from, List<Decided> decided) implements Message {
    public Decisions {
      decided = List.copyOf(decided);
    }

    @Override
    public Kind kind() {
      return Kind.DECISIONS;
    }
  }

  /**
   * The sender no longer has the requested decisions. A receiver whose own state is at least as new
   * continues from the checkpoint alone; any other receiver needs a snapshot.
   */
  record SnapshotOffer(Checkpoint checkpoint) implements Message {
    @Override
    public Kind kind() {
      return Kind.SNAPSHOT_OFFER;
    }
  }

  /** STATUS: the progress of the sender, sent periodically (T3). */
  record Status(Position executed) implements Message {
    @Override
    public Kind kind() {
      return Kind.STATUS;
    }
  }
}

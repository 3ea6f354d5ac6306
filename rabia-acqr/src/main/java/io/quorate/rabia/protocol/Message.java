package io.quorate.rabia.protocol;

import io.quorate.consensus.Position;
import java.util.List;

/**
 * What one replica says to another (PROTOCOLS 1.2). Every message may be lost, repeated, delayed
 * and overtaken. A {@link Position} is a slot and the epoch whose members decide it.
 */
public sealed interface Message {

  /** Whether the bodies it carries are those that their ids name. Reads all of them. */
  default boolean isIntact() {
    return true;
  }

  /** A message about one slot. */
  sealed interface OfSlot extends Message {
    Position at();
  }

  /** CONTENT under owned slots: the owner's batch for its slot. */
  record Content(Position at, Batch batch) implements OfSlot {
    @Override
    public boolean isIntact() {
      return batch.isIntact();
    }
  }

  /** CONTENT under the published chooser: a batch for every replica's queue. */
  record Request(Batch batch) implements Message {
    @Override
    public boolean isIntact() {
      return batch.isIntact();
    }
  }

  /**
   * PROPOSAL. The sender has the body of {@code id} on disk.
   *
   * @param id {@link BatchId#NONE} for ⊥
   */
  record Proposal(Position at, BatchId id) implements OfSlot {}

  /**
   * SKIP: for the slots that the sender owns from {@code from} to {@code to}, inclusive, no content
   * was or will be issued.
   */
  record Skip(Position from, long to) implements Message {}

  /**
   * STATE.
   *
   * @param phase from 1
   * @param candidate the one batch that can win the slot; {@link BatchId#NONE} if unknown (C6)
   */
  record State(Position at, int phase, boolean one, BatchId candidate) implements OfSlot {}

  /** VOTE; phase and candidate as in {@link State}. */
  record Vote(Position at, int phase, Ballot ballot, BatchId candidate) implements OfSlot {}

  /** DECISION: the answer to any message about a slot that is decided (C9). */
  record Decision(Position at, BatchId id) implements OfSlot {}

  /**
   * Asks for the receiver's own messages of this slot from a phase on, or the decision (T1, T2).
   */
  record Inquiry(Position at, int phase) implements OfSlot {}

  /** FETCH: asks for the body that may win, or has won, a slot. */
  record FetchBody(Position at, BatchId id) implements OfSlot {}

  /** BODY: the answer. */
  record FetchedBody(Position at, Batch batch) implements OfSlot {
    @Override
    public boolean isIntact() {
      return batch.isIntact();
    }
  }

  /** FETCH: asks for decisions and bodies from a slot on; from -1 for "anything" (T3). */
  record FetchDecisions(long from) implements Message {}

  /** Consecutive decisions, the first being that of slot {@code from}. */
  record Decisions(long from, List<Decided> decided) implements Message {
    public Decisions {
      decided = List.copyOf(decided);
    }

    @Override
    public boolean isIntact() {
      return decided.stream().flatMap(one -> one.batch().stream()).allMatch(Batch::isIntact);
    }
  }

  /**
   * The sender no longer has the decisions asked for. A receiver whose own state is as new goes on
   * from the checkpoint alone; another one needs a snapshot.
   */
  record SnapshotOffer(Checkpoint checkpoint) implements Message {}

  /** STATUS: how far the sender is, said now and then (T3). */
  record Status(Position executed) implements Message {}
}

package io.quorate.rabia.protocol;

import io.quorate.consensus.Position;
import java.util.List;

/**
 * A message between replicas. Every message may be lost, duplicated, delayed and reordered. A
 * {@link Position} is a slot and the epoch whose members decide it.
 */
public sealed interface Message {

  /** Whether the bodies in the message match their ids. Reads all of them. */
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

  /** CONTENT under the published chooser: a batch for the queue of every replica. */
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
   * SKIP: for the slots that the sender owns from {@code from} to {@code to}, inclusive, the sender
   * has issued no content and never will.
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

  /** DECISION: the response to any message about a slot that is decided (C9). */
  record Decision(Position at, BatchId id) implements OfSlot {}

  /**
   * Requests the receiver's own messages of this slot from a phase on, or the decision (T1, T2).
   */
  record Inquiry(Position at, int phase) implements OfSlot {}

  /** FETCH: requests the body of a batch that may win, or has won, a slot. */
  record FetchBody(Position at, BatchId id) implements OfSlot {}

  /** BODY: the response to {@link FetchBody}. */
  record FetchedBody(Position at, Batch batch) implements OfSlot {
    @Override
    public boolean isIntact() {
      return batch.isIntact();
    }
  }

  /**
   * FETCH: requests decisions and bodies from a slot on (T3). A joining replica, which knows no
   * slot, sends -1.
   */
  record FetchDecisions(long from) implements Message {}

  /** Consecutive decisions; the first one is that of slot {@code from}. */
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
   * The sender no longer has the requested decisions. A receiver whose own state is at least as new
   * continues from the checkpoint alone; any other receiver needs a snapshot.
   */
  record SnapshotOffer(Checkpoint checkpoint) implements Message {}

  /** STATUS: the progress of the sender, sent periodically (T3). */
  record Status(Position executed) implements Message {}
}

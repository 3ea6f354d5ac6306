package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Message;
import java.util.List;

/**
 * Chooses the proposal of a slot: a batch, ⊥, or nothing yet. Safety does not depend on the choice,
 * except for the skips of owned slots (O3, O4).
 */
interface Chooser {

  /** Whether slots are also decided by unanimous proposals or states (C7). */
  boolean decidesByUnanimity();

  /**
   * Issues batches, and skips or abstains from slots, where possible. Called at the end of every
   * step.
   */
  void advance();

  /** Processes timeouts. */
  void tick();

  /** Processes a body that is, or may be, for this undecided slot. */
  void content(Slot slot, Batch batch);

  /** A batch that is queued for a slot at this replica, or null. */
  Batch queued(BatchId id);

  /** Processes a batch for the queue of every replica (REQUEST). */
  void request(Batch batch);

  /** Called when the proposal of another member has been stored. */
  void proposed(Slot slot, NodeId from, BatchId id);

  /** Called for every message about a slot that is not beyond the window. */
  void received(NodeId from, Message.OfSlot message);

  /** Processes the SKIP of a member for own slots. */
  void skipped(NodeId from, Message.Skip skip);

  void decided(Slot slot, BatchId id);

  /** Restores this replica's own proposal from the log; {@code batch} is null for ⊥. */
  void restored(Slot slot, Batch batch);

  /**
   * Called when the log has been replayed.
   *
   * @param reservedEnd the first slot that no earlier incarnation has reserved
   */
  void start(long reservedEnd);

  /** Called when a snapshot was installed that covers the slots up to the executed one. */
  void installed();

  /** Resends this replica's content of a slot to the members that may lack it. */
  void resend(Slot slot, List<NodeId> to);
}

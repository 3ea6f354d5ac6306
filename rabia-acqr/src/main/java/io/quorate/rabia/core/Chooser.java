package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Message;
import java.util.List;

/**
 * What a slot proposes (PROTOCOLS 2): a batch, ⊥, or nothing yet. Safety does not depend on it,
 * except for skips, which are owned slots' own.
 */
interface Chooser {

  /** Whether slots are decided by unanimous proposals or states (C7). */
  boolean takesShortcuts();

  /** Issues and gives up what can be; at the end of every step. */
  void advance();

  /** Looks at what has waited for too long. */
  void tick();

  /** A body that is, or may be, for this slot, which is not decided. */
  void content(Slot slot, Batch batch);

  /** A batch that waits for a slot here, or null. */
  Batch queued(BatchId id);

  /** A batch for everyone's queue. */
  void request(Batch batch);

  /** Another member's proposal has been stored. */
  void proposed(Slot slot, NodeId from, BatchId id);

  /** A message about a slot has come that is not beyond the window. */
  void received(NodeId from, Message.OfSlot message);

  /** A member gives up own slots. */
  void skipped(NodeId from, Message.Skip skip);

  void decided(Slot slot, BatchId id);

  /** This replica's own proposal, found in the log; {@code batch} is null for ⊥. */
  void restored(Slot slot, Batch batch);

  /** The log has been replayed, up to an earlier run's reservation. */
  void start(long reservedEnd);

  /** Slots up to the executed one have been jumped over. */
  void installed();

  /** Says again what only the chooser has to say about a slot of its own. */
  void repeat(Slot slot, List<NodeId> to);
}

package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.util.List;
import java.util.Optional;

/** An action that a step requests. The driver carries out the actions in the order of the list. */
public sealed interface Effect {

  /**
   * Append the record to the log. {@link Input.Durable} follows when it is on disk.
   *
   * @param lazily whether no message waits for the record, so that it needs no fsync of its own
   */
  record Persist(Lsn lsn, LogRecord record, boolean lazily) implements Effect {}

  /**
   * Send the message as soon as the log is durable up to {@code after} (P0), and not before. The
   * message may be dropped instead.
   */
  record Send(List<NodeId> to, Message message, Lsn after) implements Effect {}

  /**
   * Deliver the slot to the state machine. Slots are delivered in order and without a gap. {@link
   * Input.Executed} follows when the state machine has accepted the slot.
   *
   * @param batch empty for null, and for a batch that was executed before
   */
  record Execute(Position at, Optional<Batch> batch) implements Effect {}

  /**
   * The oldest {@code commands} of the proposed commands that are not in a batch yet form this
   * batch.
   */
  record Batched(BatchId id, int commands) implements Effect {}

  /** The last {@code commands} of this step's {@link Input.Propose} are refused. */
  record Refused(int commands, Reason reason) implements Effect {
    /** The reason for a refusal. */
    public enum Reason {
      /** Too many commands wait for a batch. */
      FULL,
      /** This replica is not a member. */
      NO_MEMBER
    }
  }

  /** A snapshot contains this own batch. Its results will never be known at this replica. */
  record Overtaken(BatchId id) implements Effect {}

  /**
   * Fetch a snapshot of at least this position from that replica and install it, then report {@link
   * Input.Installed}. The effect may be repeated; one fetch at a time is enough.
   */
  record FetchSnapshot(NodeId from, Position atLeast) implements Effect {}

  /**
   * Read consecutive decisions from the log, the first being that of slot {@code from}, and send
   * them as {@link Message.Decisions}. If the log no longer holds the slot, report {@link
   * Input.NotInLog}.
   *
   * @param slotsMax the maximum number of decisions
   * @param bytesMax the maximum size of the bodies in bytes; a single body may exceed it
   */
  record SendFromLog(NodeId to, long from, int slotsMax, int bytesMax) implements Effect {}

  /**
   * Make the state machine's state up to this position durable, then report {@link
   * Input.StateDurable} (S3).
   */
  record Flush(Position through) implements Effect {}

  /**
   * These records may be deleted: those of slots up to this position, and those of other kinds that
   * are older than the last {@link LogRecord.Checkpointed} at or before it.
   */
  record Truncate(Position through) implements Effect {}
}

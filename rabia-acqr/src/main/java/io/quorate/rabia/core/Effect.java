package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.util.List;
import java.util.Optional;

/** What a step wants done, in the order of the list. */
public sealed interface Effect {

  /**
   * Append the record to the log. {@link Input.Durable} is due when it is on disk.
   *
   * @param lazily whether nothing waits for it, so that it need not cause an fsync of its own
   */
  record Persist(Lsn lsn, LogRecord record, boolean lazily) implements Effect {}

  /**
   * Send the message as soon as the log is durable up to {@code after} (P0), and not before. It may
   * be dropped instead.
   */
  record Send(List<NodeId> to, Message message, Lsn after) implements Effect {}

  /**
   * Hand the slot to the state machine: slots come in order without a gap. {@link Input.Executed}
   * is due when it has taken it.
   *
   * @param batch empty for null, and for a batch that was executed before
   */
  record Execute(Position at, Optional<Batch> batch) implements Effect {}

  /** The oldest {@code commands} of those proposed and not yet in a batch are now this batch. */
  record Batched(BatchId id, int commands) implements Effect {}

  /** The last {@code commands} of this step's {@link Input.Propose} are refused. */
  record Refused(int commands, Reason reason) implements Effect {
    /** Why commands are refused. */
    public enum Reason {
      /** Too many wait. */
      FULL,
      /** This replica is no member. */
      NO_MEMBER
    }
  }

  /** A snapshot contains this own batch; its answers will never be known here. */
  record Overtaken(BatchId id) implements Effect {}

  /**
   * Get a snapshot of at least this position from that replica and install it, then {@link
   * Input.Installed}. May be asked for again; one at a time is enough.
   */
  record FetchSnapshot(NodeId from, Position atLeast) implements Effect {}

  /**
   * Read consecutive decisions from this slot on in the log and send them as {@link
   * Message.Decisions}; if the log does not hold the slot any more, {@link Input.NotInLog}.
   *
   * @param slotsMax how many decisions at most
   * @param bytesMax the same in bytes of bodies; one body may exceed it
   */
  record SendFromLog(NodeId to, long from, int slotsMax, int bytesMax) implements Effect {}

  /** Make the state machine's state up to here durable, then {@link Input.StateDurable} (S3). */
  record Flush(Position through) implements Effect {}

  /**
   * Records of slots up to here, and older records of the other kinds than the last {@link
   * LogRecord.Checkpointed} at or before it, may be deleted.
   */
  record Truncate(Position through) implements Effect {}
}

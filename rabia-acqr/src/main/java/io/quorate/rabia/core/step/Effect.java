package io.quorate.rabia.core.step;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
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
  record Persist(Lsn lsn, LogRecord record, boolean lazily) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.persist(this);
    }
  }

  /**
   * Send the message as soon as the log is durable up to {@code after} (P0), and not before. The
   * message may be dropped instead.
   */
  record Send(List<NodeId> to, Message message, Lsn after) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.send(this);
    }
  }

  /**
   * Deliver the slot to the state machine. Slots are delivered in order and without a gap. {@link
   * Input.Executed} follows when the state machine has accepted the slot.
   *
   * @param batch empty for null, and for a batch that was executed before
   */
  record Execute(Position at, Optional<Batch> batch) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.execute(this);
    }
  }

  /**
   * The oldest {@code commands} of the proposed commands that are not in a batch yet form this
   * batch.
   */
  record Batched(BatchId id, int commands) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.batched(this);
    }
  }

  /** The last {@code commands} of this step's {@link Input.Propose} are refused. */
  record Refused(int commands, Reason reason) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.refused(this);
    }

    /** The reason for a refusal. */
    public enum Reason {
      /** Too many commands wait for a batch. */
      FULL,
      /** This replica is not a member. */
      NO_MEMBER
    }
  }

  /** A snapshot contains this own batch. Its results will never be known at this replica. */
  record Overtaken(BatchId id) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.overtaken(this);
    }
  }

  /**
   * Fetch a snapshot of at least this position from that replica and install it, then report {@link
   * Input.Installed}. The effect may be repeated; one fetch at a time is enough.
   */
  record FetchSnapshot(NodeId from, Position atLeast) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.fetchSnapshot(this);
    }
  }

  /**
   * Read consecutive decisions from the log, the first being that of slot {@code from}, and send
   * them as {@link Message.Decisions}. If the log no longer holds the slot, report {@link
   * Input.NotInLog}.
   *
   * @param slotsMax the maximum number of decisions
   * @param bytesMax the maximum size of the bodies in bytes; a single body may exceed it
   */
  record SendFromLog(NodeId to, long from, int slotsMax, int bytesMax) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.sendFromLog(this);
    }
  }

  /**
   * Make the state machine's state up to this position durable, then report {@link
   * Input.StateDurable} (S3).
   */
  record Flush(Position through) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.flush(this);
    }
  }

  /**
   * These records may be deleted: those of slots up to this position, and those of other kinds that
   * are older than the last {@link LogRecord.Checkpointed} at or before it.
   */
  record Truncate(Position through) implements Effect {
    @Override
    public void accept(Visitor visitor) {
      visitor.truncate(this);
    }
  }

  /** Carries out an effect of each kind. */
  interface Visitor {
    void persist(Persist effect);

    void send(Send effect);

    void execute(Execute effect);

    void batched(Batched effect);

    void refused(Refused effect);

    void overtaken(Overtaken effect);

    void fetchSnapshot(FetchSnapshot effect);

    void sendFromLog(SendFromLog effect);

    void flush(Flush effect);

    void truncate(Truncate effect);
  }

  void accept(Visitor visitor);
}

package io.quorate.rabia.codec;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.Position;
import io.quorate.operation.DecodeException;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;

/** The encoding of log records: a type byte, and the fields in order. Callable from any thread. */
public final class RecordCodec {
  private static final int RESERVATION = 1;
  private static final int PROPOSED = 2;
  private static final int STATE_CHOSEN = 3;
  private static final int VOTED = 4;
  private static final int SLOT_DECIDED = 5;
  private static final int CHECKPOINTED = 6;

  private RecordCodec() {}

  /**
   * Appends the encoding, which contains no length and no end mark.
   *
   * @throws IllegalArgumentException if the record could not be decoded again: a batch under the id
   *     of another one, or a member whose address has been resolved. Part of the encoding may have
   *     been written.
   */
  public static void write(LogRecord record, ByteBuf to) {
    FieldWriter out = new FieldWriter(to);
    if (record instanceof LogRecord.Reservation reservation) {
      write(reservation, out.oneByte(RESERVATION));
    } else if (record instanceof LogRecord.Proposed proposed) {
      out.oneByte(PROPOSED).position(proposed.at()).outcome(proposed.id(), proposed.batch());
    } else if (record instanceof LogRecord.StateChosen state) {
      out.oneByte(STATE_CHOSEN)
          .position(state.at())
          .varint(state.phase())
          .flag(state.one())
          .batchId(state.candidate());
    } else if (record instanceof LogRecord.Voted vote) {
      out.oneByte(VOTED)
          .position(vote.at())
          .varint(vote.phase())
          .ballot(vote.ballot())
          .batchId(vote.candidate());
    } else if (record instanceof LogRecord.SlotDecided decision) {
      Decided decided = decision.decided();
      out.oneByte(SLOT_DECIDED).position(decision.at()).outcome(decided.id(), decided.batch());
    } else if (record instanceof LogRecord.Checkpointed checkpointed) {
      write(
          checkpointed.reservation(),
          out.oneByte(CHECKPOINTED).checkpoint(checkpointed.checkpoint()));
    }
  }

  private static void write(LogRecord.Reservation reservation, FieldWriter out) {
    out.signed(reservation.incarnation()).signed(reservation.end());
  }

  /**
   * Reads the single record between the indices of the buffer, and advances the reader index past
   * it. The record holds no reference to the buffer.
   *
   * @throws DecodeException if the bytes are not exactly one record
   */
  public static LogRecord read(ByteBuf from) {
    FieldReader in = new FieldReader(from);
    return in.complete(read(in.oneByte(), in));
  }

  private static LogRecord read(int type, FieldReader in) {
    return switch (type) {
      case RESERVATION -> reservation(in);
      case PROPOSED -> proposed(in.position(), in.outcome());
      case STATE_CHOSEN ->
          new LogRecord.StateChosen(in.position(), in.phase(), in.flag(), in.batchId());
      case VOTED -> new LogRecord.Voted(in.position(), in.phase(), in.ballot(), in.batchId());
      case SLOT_DECIDED -> new LogRecord.SlotDecided(in.position(), in.outcome());
      case CHECKPOINTED -> new LogRecord.Checkpointed(in.checkpoint(), reservation(in));
      default -> throw new DecodeException("Unknown record type " + type + ".");
    };
  }

  private static LogRecord.Reservation reservation(FieldReader in) {
    return new LogRecord.Reservation(in.signed(), in.signed());
  }

  private static LogRecord.Proposed proposed(Position at, Decided outcome) {
    return new LogRecord.Proposed(at, outcome.id(), outcome.batch());
  }
}

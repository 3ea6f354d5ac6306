package io.quorate.rabia.codec;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;

/** The encoding of log records: a type byte, and the fields in order. Callable from any thread. */
public final class RecordCodec {
  private RecordCodec() {}

  /**
   * Appends the encoding, which contains no length and no end mark.
   *
   * @throws IllegalArgumentException if the record could not be decoded again: a batch under the id
   *     of another one, or a member whose address has been resolved. Part of the encoding may have
   *     been written.
   */
  public static void write(LogRecord record, ByteBuf to) {
    write(record, new FieldWriter(to).oneByte(record.kind().code()));
  }

  private static FieldWriter write(LogRecord record, FieldWriter out) {
    return switch (record.kind()) {
      case RESERVATION -> write((LogRecord.Reservation) record, out);
      case PROPOSED -> {
        LogRecord.Proposed proposed = (LogRecord.Proposed) record;
        yield out.position(proposed.at()).outcome(proposed.id(), proposed.batch());
      }
      case STATE_CHOSEN -> {
        LogRecord.StateChosen state = (LogRecord.StateChosen) record;
        out.position(state.at()).varint(state.phase());
        yield out.flag(state.one()).batchId(state.candidate());
      }
      case VOTED -> {
        LogRecord.Voted vote = (LogRecord.Voted) record;
        out.position(vote.at()).varint(vote.phase());
        yield out.ballot(vote.ballot()).batchId(vote.candidate());
      }
      case SLOT_DECIDED -> {
        LogRecord.SlotDecided decision = (LogRecord.SlotDecided) record;
        Decided decided = decision.decided();
        yield out.position(decision.at()).outcome(decided.id(), decided.batch());
      }
      case CHECKPOINTED -> {
        LogRecord.Checkpointed checkpointed = (LogRecord.Checkpointed) record;
        yield write(checkpointed.reservation(), out.checkpoint(checkpointed.checkpoint()));
      }
    };
  }

  private static FieldWriter write(LogRecord.Reservation reservation, FieldWriter out) {
    return out.signed(reservation.incarnation()).signed(reservation.end());
  }

  /**
   * Reads the single record between the indices of the buffer, and advances the reader index past
   * it. The record holds no reference to the buffer.
   *
   * @throws DecodeException if the bytes are not exactly one record
   */
  public static LogRecord read(ByteBuf from) {
    FieldReader in = new FieldReader(from);
    return in.complete(read(kind(in.oneByte()), in));
  }

  private static LogRecord.Kind kind(int code) {
    return LogRecord.Kind.of(code)
        .orElseThrow(() -> new DecodeException("Unknown record type " + code + "."));
  }

  private static LogRecord read(LogRecord.Kind kind, FieldReader in) {
    return switch (kind) {
      case RESERVATION -> reservation(in);
      case PROPOSED -> proposed(in.position(), in.outcome());
      case STATE_CHOSEN ->
          new LogRecord.StateChosen(in.position(), in.phase(), in.flag(), in.batchId());
      case VOTED -> new LogRecord.Voted(in.position(), in.phase(), in.ballot(), in.batchId());
      case SLOT_DECIDED -> new LogRecord.SlotDecided(in.position(), in.outcome());
      case CHECKPOINTED -> new LogRecord.Checkpointed(in.checkpoint(), reservation(in));
    };
  }

  private static LogRecord.Reservation reservation(FieldReader in) {
    return new LogRecord.Reservation(in.signed(), in.signed());
  }

  private static LogRecord.Proposed proposed(Position at, Decided outcome) {
    return new LogRecord.Proposed(at, outcome.id(), outcome.batch());
  }
}

package io.quorate.storage.command;

import io.quorate.common.DecodeException;
import io.quorate.model.Key;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.session.MovedSession;
import io.quorate.storage.session.SessionFence;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows and sessions of a region that another one absorbs, as {@link Operation.Absorb} carries
 * them. Encoded, with big-endian integers, as:
 *
 * <pre>
 * state := rowCount(i32) row* fence sessionCount(i32) session*
 *          see {@link SessionFence} and {@link MovedSession}
 * row   := length(i32) key length(i32) value
 * </pre>
 *
 * @param rows in key order
 */
public record AbsorbedState(List<Row> rows, SessionFence fence, List<MovedSession> sessions) {

  /** A row; the value is between position and limit. */
  public record Row(Key key, ByteBuffer value) {
    /** Length of the encoding in bytes. */
    public int size() {
      return 2 * Integer.BYTES + key.size() + value.remaining();
    }
  }

  public AbsorbedState {
    rows = List.copyOf(rows);
    sessions = List.copyOf(sessions);
  }

  /** The encoding, in a new buffer. */
  public ByteBuffer encoded() {
    int size =
        2 * Integer.BYTES
            + rows.stream().mapToInt(Row::size).sum()
            + fence.size()
            + sessions.stream().mapToInt(MovedSession::size).sum();
    ByteBuffer to = ByteBuffer.allocate(size).putInt(rows.size());
    for (Row row : rows) {
      to.putInt(row.key().size()).put(row.key().bytes());
      to.putInt(row.value().remaining()).put(row.value().duplicate());
    }
    fence.write(to);
    to.putInt(sessions.size());
    sessions.forEach(session -> session.write(to));
    return to.flip();
  }

  /**
   * Decodes a state that fills the buffer from position to limit. The position is not changed;
   * values are slices of the buffer.
   *
   * @throws DecodeException if the bytes are not a valid state
   */
  public static AbsorbedState decode(ByteBuffer encoded) {
    ByteBuffer from = encoded.duplicate();
    List<Row> rows = new ArrayList<>();
    SessionFence fence;
    List<MovedSession> sessions = new ArrayList<>();
    try {
      for (int left = from.getInt(); left > 0; left--) {
        rows.add(new Row(Key.wrap(bytes(from)), slice(from)));
      }
      fence = SessionFence.read(from);
      for (int left = from.getInt(); left > 0; left--) {
        sessions.add(MovedSession.read(from));
      }
    } catch (BufferUnderflowException e) {
      throw new DecodeException("The state of a region ends before it is complete.");
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage() + ".");
    }
    if (from.hasRemaining()) {
      throw new DecodeException("The state of a region has " + from.remaining() + " more bytes.");
    }
    return new AbsorbedState(rows, fence, sessions);
  }

  private static byte[] bytes(ByteBuffer from) {
    ByteBuffer slice = slice(from);
    byte[] bytes = new byte[slice.remaining()];
    slice.get(bytes);
    return bytes;
  }

  private static ByteBuffer slice(ByteBuffer from) {
    int length = from.getInt();
    if (length < 0 || length > from.remaining()) {
      throw new DecodeException("A row of a region claims " + length + " bytes.");
    }
    ByteBuffer slice = from.slice(from.position(), length);
    from.position(from.position() + length);
    return slice;
  }
}

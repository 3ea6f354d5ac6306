package io.quorate.storage.session;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * The rows of {@code Family.SESSIONS}. Fixed integers are big-endian; a varint has seven bits a
 * byte, the lowest first.
 *
 * <pre>
 * region(i32) 0 client(16)                version(u8) epoch(i64) index(i64) floor(i64)
 *                                         count(varint) result*
 * region(i32) 1 client(16) sequence(i64)  the bytes of a long result
 * region(i32) 2                           the {@link SessionFence}; absent before a session is removed
 *
 * result := sequence(varint, above the one before, the first above the floor)
 *           length(varint, 0 for one in a row of its own) bytes
 * </pre>
 */
public final class SessionRows {
  private static final byte SESSION = 0;
  private static final byte RESULT = 1;
  private static final byte FENCE = 2;
  private static final byte VERSION = 1;
  private static final int CLIENT_AT = Integer.BYTES + 1;
  private static final int HEAD_BYTES = 1 + Position.BYTES + Long.BYTES;
  private static final int VARINT_BYTES_MAX = 10;

  private SessionRows() {}

  /** Lowest key of a region's rows, and exclusive end of the previous region's rows. */
  public static byte[] regionStart(GroupId region) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(region.value()).array();
  }

  /** Exclusive end of a region's rows. */
  public static byte[] regionEnd(GroupId region) {
    // Group numbers are not negative, so that the next number is above as an unsigned integer.
    return ByteBuffer.allocate(Integer.BYTES).putInt(region.value() + 1).array();
  }

  /** Exclusive end of a region's session rows; the rows of long results follow. */
  public static byte[] sessionsEnd(GroupId region) {
    return ByteBuffer.allocate(CLIENT_AT).putInt(region.value()).put(RESULT).array();
  }

  /** Key of the row of the region's fence. */
  public static byte[] fenceKey(GroupId region) {
    return ByteBuffer.allocate(CLIENT_AT).putInt(region.value()).put(FENCE).array();
  }

  /** Key of a client's session row. */
  public static byte[] sessionKey(GroupId region, ClientId client) {
    return key(region, SESSION, client, 0).array();
  }

  /** Key of a long result. */
  public static byte[] resultKey(GroupId region, ClientId client, long sequence) {
    return key(region, RESULT, client, Long.BYTES).putLong(sequence).array();
  }

  private static ByteBuffer key(GroupId region, byte kind, ClientId client, int extraBytes) {
    return ByteBuffer.allocate(CLIENT_AT + 2 * Long.BYTES + extraBytes)
        .putInt(region.value())
        .put(kind)
        .putLong(client.high())
        .putLong(client.low());
  }

  /** The client of a session row. */
  public static ClientId client(byte[] sessionKey) throws IOException {
    if (sessionKey.length != CLIENT_AT + 2 * Long.BYTES) {
      throw new IOException("A session row has a key of " + sessionKey.length + " bytes.");
    }
    ByteBuffer bytes = ByteBuffer.wrap(sessionKey).position(CLIENT_AT);
    return new ClientId(bytes.getLong(), bytes.getLong());
  }

  /** The value of a session's row; without the bytes of results in rows of their own. */
  public static ByteBuffer encode(Session session) {
    return encode(session, session.lastActive());
  }

  /** The value of the row of a session that was last active at another position. */
  public static ByteBuffer encode(Session session, Position lastActive) {
    int size = HEAD_BYTES + VARINT_BYTES_MAX;
    for (byte[] result : session.results().values()) {
      size += 2 * VARINT_BYTES_MAX + result.length;
    }
    ByteBuffer to = ByteBuffer.allocate(size);
    to.put(VERSION);
    lastActive.write(to);
    to.putLong(session.floor());
    putVarint(to, session.results().size());
    long before = session.floor();
    for (Map.Entry<Long, byte[]> result : session.results().entrySet()) {
      putVarint(to, result.getKey() - before);
      putVarint(to, result.getValue().length);
      to.put(result.getValue());
      before = result.getKey();
    }
    return to.flip();
  }

  /** Inverse of {@link #encode}. */
  public static Session decode(byte[] row) throws IOException {
    ByteBuffer from = ByteBuffer.wrap(row);
    try {
      byte version = from.get();
      if (version != VERSION) {
        throw new IOException("A session row has format " + version + ", not " + VERSION + ".");
      }
      Position lastActive = Position.read(from);
      long sequence = from.getLong();
      Session session = new Session(sequence, lastActive);
      long results = getVarint(from);
      if (session.hasEnded() && results != 0) {
        throw new IOException("A session that has ended has results in its row.");
      }
      for (long left = results; left > 0; left--) {
        sequence += getVarint(from);
        session.results().put(sequence, decodeResult(from));
      }
      return session;
    } catch (BufferUnderflowException e) {
      throw new IOException("A session row ends before it is complete.", e);
    }
  }

  private static byte[] decodeResult(ByteBuffer from) {
    long length = getVarint(from);
    if (length == 0) {
      return Session.IN_OWN_ROW;
    }
    if (length < 0 || length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[(int) length];
    from.get(bytes);
    return EncodedResults.shared(bytes);
  }

  private static void putVarint(ByteBuffer to, long value) {
    long left = value;
    while ((left & ~0x7fL) != 0) {
      to.put((byte) (left | 0x80));
      left >>>= 7;
    }
    to.put((byte) left);
  }

  private static long getVarint(ByteBuffer from) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = from.get();
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }
}

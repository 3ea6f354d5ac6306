package io.quorate.storage.session;

import io.quorate.protocol.operation.ClientId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The session of a client in a region that another one absorbs, with all results in full. Encoded,
 * with big-endian integers, as:
 *
 * <pre>
 * session := client(16) floor(i64) count(i32) result*
 * result  := sequence(i64) length(i32) bytes
 * </pre>
 *
 * @param floor the lowest sequence whose result would still be stored
 * @param results the stored results by sequence, none of them empty; not copied
 */
public record MovedSession(ClientId client, long floor, SortedMap<Long, byte[]> results) {
  private static final int HEAD_BYTES = 3 * Long.BYTES + Integer.BYTES;
  private static final int RESULT_HEAD_BYTES = Long.BYTES + Integer.BYTES;

  /** Whether the client has ended it. */
  boolean hasEnded() {
    return floor == Session.ENDED;
  }

  /** Length of the encoding in bytes. */
  public int size() {
    int size = HEAD_BYTES;
    for (byte[] result : results.values()) {
      size += RESULT_HEAD_BYTES + result.length;
    }
    return size;
  }

  /** Writes the encoding at the buffer's position. At least {@link #size} bytes must remain. */
  public void write(ByteBuffer to) {
    to.putLong(client.high()).putLong(client.low()).putLong(floor).putInt(results.size());
    for (Map.Entry<Long, byte[]> result : results.entrySet()) {
      to.putLong(result.getKey()).putInt(result.getValue().length).put(result.getValue());
    }
  }

  /**
   * Decodes a session at the buffer's position and advances the position past it.
   *
   * @throws BufferUnderflowException if the bytes are not a complete session
   */
  public static MovedSession read(ByteBuffer from) {
    ClientId client = new ClientId(from.getLong(), from.getLong());
    long floor = from.getLong();
    SortedMap<Long, byte[]> results = new TreeMap<>();
    for (int left = from.getInt(); left > 0; left--) {
      results.put(from.getLong(), readResult(from));
    }
    return new MovedSession(client, floor, results);
  }

  private static byte[] readResult(ByteBuffer from) {
    int length = from.getInt();
    if (length < 1 || length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] result = new byte[length];
    from.get(result);
    return EncodedResults.shared(result);
  }
}

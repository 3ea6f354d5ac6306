package io.quorate.protocol.operation;

import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import java.nio.ByteBuffer;

/**
 * The position of a region that a client knew when a call began, so that every copy of the call's
 * request is executed at a higher position of that region, or at a region that has begun since by a
 * split, or has absorbed it. All attempts of a call have the same one. By it a region recognizes a
 * request whose session it may have removed.
 *
 * @param region the number of the region; -1 if the client knew no position
 * @param index the index of the position; -1 if the client knew none
 */
public record KnownPosition(int region, long index) {
  /** Of a client that knows no position of the region. */
  public static final KnownPosition NONE = new KnownPosition(-1, -1);

  /** Length of the encoding, {@code region(i32) index(i64)}, big-endian. */
  public static final int BYTES = Integer.BYTES + Long.BYTES;

  public KnownPosition {
    if (region < -1 || index < -1) {
      throw new IllegalArgumentException(
          "A known position is of a region from 0 and an index from 0, or -1 for both: region "
              + region
              + ", index "
              + index);
    }
  }

  public static KnownPosition of(GroupId region, Position position) {
    return new KnownPosition(region.value(), position.index());
  }

  /** Whether the client knew no position. */
  public boolean isNone() {
    return region < 0 || index < 0;
  }

  /** Writes the encoding at the buffer's position. At least {@link #BYTES} bytes must remain. */
  void write(ByteBuffer to) {
    to.putInt(region).putLong(index);
  }

  /**
   * Decodes a position at the buffer's position and advances the position past it.
   *
   * @throws java.nio.BufferUnderflowException if fewer than {@link #BYTES} bytes remain
   * @throws DecodeException if the bytes are not a valid position
   */
  static KnownPosition read(ByteBuffer from) {
    int region = from.getInt();
    long index = from.getLong();
    if (region == NONE.region && index == NONE.index) {
      return NONE;
    }
    try {
      return new KnownPosition(region, index);
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage() + ".");
    }
  }
}

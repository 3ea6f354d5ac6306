package io.quorate.model;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A position in the log of a group.
 *
 * <p>Positions of one group are ordered by {@code index} alone, because an index is committed at
 * most once. Only the engine interprets the epoch, to continue its log after a restart. {@link
 * #compareTo} ignores the epoch and is therefore not consistent with equals.
 *
 * @param epoch the epoch in which the position was committed: a Raft term or a Rabia configuration
 *     epoch
 * @param index a Raft log index or a Rabia slot
 */
public record Position(long epoch, long index) implements Comparable<Position> {
  /** The position before all commands, which an empty state machine reports. */
  public static final Position NONE = new Position(0, -1);

  /** The length of the encoding: {@code epoch(i64) index(i64)}, big-endian. */
  public static final int BYTES = 2 * Long.BYTES;

  /**
   * Decodes a position at the buffer's position and advances the buffer by {@link #BYTES}.
   *
   * @param from a big-endian buffer
   * @throws java.nio.BufferUnderflowException if fewer bytes remain
   */
  public static Position read(ByteBuffer from) {
    Objects.requireNonNull(from, "from must not be null");
    return new Position(from.getLong(), from.getLong());
  }

  /**
   * Writes the encoding at the buffer's position.
   *
   * @param to a big-endian buffer in which at least {@link #BYTES} bytes remain
   * @return the same buffer
   */
  public ByteBuffer write(ByteBuffer to) {
    Objects.requireNonNull(to, "to must not be null");
    return to.putLong(epoch).putLong(index);
  }

  /** Whether a state at this position includes all commands up to {@code other}. */
  public boolean covers(Position other) {
    return index >= Objects.requireNonNull(other, "other must not be null").index;
  }

  @Override
  public int compareTo(Position other) {
    return Long.compare(index, other.index);
  }

  @Override
  public String toString() {
    return epoch + ":" + index;
  }
}

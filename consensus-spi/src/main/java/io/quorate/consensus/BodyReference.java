package io.quorate.consensus;

import io.quorate.model.GroupId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Refers to a body from a command and from the state: what a state machine stores in place of a
 * large value. Integers are encoded big-endian:
 *
 * <pre>
 * reference := epoch(i64) number(i64) floor(i64) length(i32) layout-length(u16) layout
 * </pre>
 *
 * @param epoch of the leader that replicated the body. A command with this reference takes effect
 *     only at a position of the same epoch; at any other it has no effect.
 * @param number the body's number in that epoch
 * @param floor when a command with this reference is applied, every command of its epoch that
 *     refers to a lower number has been applied before it, or never will be
 * @param length the length of the body in bytes
 * @param layout how the engine restores the body; opaque to the state machine, at most {@link
 *     #LAYOUT_BYTES_MAX} bytes between position and limit
 */
public record BodyReference(long epoch, long number, long floor, int length, ByteBuffer layout) {
  /** The maximum length of a layout in bytes. */
  public static final int LAYOUT_BYTES_MAX = 0xffff;

  private static final int FIXED_BYTES = 3 * Long.BYTES + Integer.BYTES + Short.BYTES;

  /**
   * @throws IllegalArgumentException if a number is negative or the layout too long
   */
  public BodyReference {
    if (number < 0 || floor < 0 || floor > number || length < 0) {
      throw new IllegalArgumentException(
          "A body has no number " + number + ", floor " + floor + " or length " + length);
    }
    if (layout.remaining() > LAYOUT_BYTES_MAX) {
      throw new IllegalArgumentException("A layout has " + layout.remaining() + " bytes");
    }
    layout = layout.slice().asReadOnlyBuffer();
  }

  /** The layout, with a position and a limit of its own. */
  @Override
  public ByteBuffer layout() {
    return layout.duplicate();
  }

  /** The id of the body in the group whose state has this reference. */
  public BodyId in(GroupId group) {
    return new BodyId(group, epoch, number);
  }

  /** Length of the encoding in bytes. */
  public int size() {
    return FIXED_BYTES + layout.remaining();
  }

  /** Writes the encoding at the buffer's position; returns the buffer. */
  public ByteBuffer write(ByteBuffer to) {
    to.putLong(epoch).putLong(number).putLong(floor).putInt(length);
    return to.putShort((short) layout.remaining()).put(layout.duplicate());
  }

  /**
   * Reads an encoding at the buffer's position and advances the position past it. The layout is a
   * slice of the buffer.
   *
   * @throws BufferUnderflowException if the encoding is incomplete
   * @throws IllegalArgumentException if it is invalid
   */
  public static BodyReference read(ByteBuffer from) {
    long epoch = from.getLong();
    long number = from.getLong();
    long floor = from.getLong();
    int length = from.getInt();
    int layoutBytes = Short.toUnsignedInt(from.getShort());
    if (layoutBytes > from.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer layout = from.slice(from.position(), layoutBytes);
    from.position(from.position() + layoutBytes);
    return new BodyReference(epoch, number, floor, length, layout);
  }
}

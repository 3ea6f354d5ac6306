package io.quorate.protocol.operation;

import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReference;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * What an {@link Operation.Resolved} does to the value of its key. Encoded as:
 *
 * <pre>
 * change := 0                                          None
 *         | 1 value, see {@link OperationCodec}        Put
 *         | 2 reference, see {@link BodyReference}     PutBody
 *         | 3                                          Delete
 * </pre>
 */
public sealed interface ValueChange {
  /** The value stays. */
  record None() implements ValueChange {
    @Override
    public int size() {
      return 1;
    }

    @Override
    public ByteBuffer encode(ByteBuffer to) {
      return to.put((byte) 0);
    }

    @Override
    public int valueBytes() {
      return 0;
    }
  }

  /** Sets the value. */
  record Put(ByteBuffer value) implements ValueChange {
    @Override
    public int size() {
      return 1 + Integer.BYTES + value.remaining();
    }

    @Override
    public ByteBuffer encode(ByteBuffer to) {
      return OperationCodec.putValue(to.put((byte) 1), value);
    }

    @Override
    public int valueBytes() {
      return value.remaining();
    }
  }

  /** Sets the value to a body that the engine has replicated beside the log. */
  record PutBody(BodyReference body) implements ValueChange {
    @Override
    public int size() {
      return 1 + body.size();
    }

    @Override
    public ByteBuffer encode(ByteBuffer to) {
      return body.write(to.put((byte) 2));
    }

    @Override
    public int valueBytes() {
      return body.length();
    }
  }

  /** Removes the key. */
  record Delete() implements ValueChange {
    @Override
    public int size() {
      return 1;
    }

    @Override
    public ByteBuffer encode(ByteBuffer to) {
      return to.put((byte) 3);
    }

    @Override
    public int valueBytes() {
      return 0;
    }
  }

  ValueChange NONE = new None();
  ValueChange DELETE = new Delete();

  /** Length of the encoding in bytes. */
  int size();

  /** Writes the encoding at the buffer's position; returns the buffer. */
  ByteBuffer encode(ByteBuffer to);

  /** The size of the new value in bytes; 0 if there is none. */
  int valueBytes();

  /**
   * Decodes a change at the buffer's position and advances the position past it. Values are slices
   * of the buffer.
   *
   * @throws BufferUnderflowException if the encoding is incomplete
   * @throws DecodeException if it is invalid
   */
  static ValueChange decode(ByteBuffer from) {
    byte tag = from.get();
    return switch (tag) {
      case 0 -> NONE;
      case 1 -> new Put(OperationCodec.getValue(from));
      case 2 -> new PutBody(OperationCodec.getReference(from));
      case 3 -> DELETE;
      default -> throw new DecodeException("There is no change " + tag + " of a value.");
    };
  }
}

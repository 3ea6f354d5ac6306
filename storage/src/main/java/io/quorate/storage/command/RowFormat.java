package io.quorate.storage.command;

import io.quorate.consensus.BodyReference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * How a row of the database represents the value of its key. Rows are the bytes of buffers between
 * position and limit; no method moves a buffer.
 */
public enum RowFormat {
  /** The row is the value; there are no bodies. */
  PLAIN {
    @Override
    public ByteBuffer row(ByteBuffer value) {
      return value;
    }

    @Override
    public ByteBuffer row(BodyReference body) {
      throw new IllegalStateException("A plain row does not refer to a body.");
    }

    @Override
    public boolean isBody(ByteBuffer row) {
      return false;
    }

    @Override
    public StoredValue stored(ByteBuffer row) {
      return new StoredValue.Inline(row);
    }

    @Override
    public ByteBuffer value(ByteBuffer row) {
      return row;
    }
  },

  /**
   * The row begins with its type:
   *
   * <pre>
   * row := 0 value | 1 body-reference
   * </pre>
   */
  TYPED {
    @Override
    public ByteBuffer row(ByteBuffer value) {
      return ByteBuffer.allocate(1 + value.remaining()).put(INLINE).put(value.duplicate()).flip();
    }

    @Override
    public ByteBuffer row(BodyReference body) {
      return body.write(ByteBuffer.allocate(1 + body.size()).put(BODY)).flip();
    }

    @Override
    public boolean isBody(ByteBuffer row) {
      byte type = row.hasRemaining() ? row.get(row.position()) : -1;
      return switch (type) {
        case INLINE -> false;
        case BODY -> true;
        default -> throw invalid("A row has no valid type, but begins with " + type);
      };
    }

    @Override
    public StoredValue stored(ByteBuffer row) {
      boolean isBody = isBody(row);
      ByteBuffer content = row.slice(row.position() + 1, row.remaining() - 1);
      return isBody ? new StoredValue.Body(reference(content)) : new StoredValue.Inline(content);
    }

    @Override
    public ByteBuffer value(ByteBuffer row) {
      if (stored(row) instanceof StoredValue.Inline inline) {
        return inline.bytes();
      }
      throw new IllegalStateException("The value is stored as a body; read what is stored.");
    }
  };

  private static final byte INLINE = 0;
  private static final byte BODY = 1;

  /** The row of a value. Of the plain format it is the value's buffer itself. */
  public abstract ByteBuffer row(ByteBuffer value);

  /**
   * The row that refers to a body.
   *
   * @throws IllegalStateException if the format has no bodies
   */
  public abstract ByteBuffer row(BodyReference body);

  /**
   * Whether the value is a body.
   *
   * @throws UncheckedIOException if the row is not of this format
   */
  public abstract boolean isBody(ByteBuffer row);

  /**
   * What a row stores, as slices of the row.
   *
   * @throws UncheckedIOException if the row is not of this format
   */
  public abstract StoredValue stored(ByteBuffer row);

  /**
   * The value in a row, as a slice of the row or the row itself.
   *
   * @throws IllegalStateException if the value is a body
   * @throws UncheckedIOException if the row is not of this format
   */
  public abstract ByteBuffer value(ByteBuffer row);

  private static BodyReference reference(ByteBuffer encoded) {
    try {
      return BodyReference.read(encoded);
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw invalid("A row has no valid reference to a body");
    }
  }

  private static UncheckedIOException invalid(String what) {
    return new UncheckedIOException(
        new IOException(what + "; rebuild this replica from the others."));
  }
}

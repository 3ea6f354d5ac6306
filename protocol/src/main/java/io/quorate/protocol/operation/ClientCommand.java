package io.quorate.protocol.operation;

import io.quorate.common.DecodeException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * An operation with the request id that identifies it. Clients send it and logs store it in the
 * same encoding, with big-endian integers:
 *
 * <pre>
 * client(16 bytes) sequence(i64) floor(i64) known operation
 *
 * known := region(i32) index(i64), see {@link KnownPosition}
 * </pre>
 */
public record ClientCommand(RequestId tag, Operation operation) {
  private static final int TAG_BYTES = 4 * Long.BYTES + KnownPosition.BYTES;

  /** Length of the encoding in bytes. */
  public int size() {
    return TAG_BYTES + OperationCodec.size(operation);
  }

  /** Writes the encoding at the buffer's position. At least {@link #size} bytes must remain. */
  public void encode(ByteBuffer to) {
    to.putLong(tag.client().high()).putLong(tag.client().low());
    to.putLong(tag.sequence()).putLong(tag.floor());
    tag.known().write(to);
    OperationCodec.encode(operation, to);
  }

  /** The encoding, in a new buffer. */
  public ByteBuffer encoded() {
    ByteBuffer buffer = ByteBuffer.allocate(size());
    encode(buffer);
    return buffer.flip();
  }

  /**
   * Decodes a command that fills the buffer from position to limit. The position is not changed;
   * values are slices of the buffer.
   *
   * @throws DecodeException if the bytes are not a valid command
   */
  public static ClientCommand decode(ByteBuffer from) {
    ByteBuffer bytes = from.duplicate();
    RequestId tag;
    try {
      ClientId client = new ClientId(bytes.getLong(), bytes.getLong());
      tag = new RequestId(client, bytes.getLong(), bytes.getLong(), KnownPosition.read(bytes));
    } catch (BufferUnderflowException e) {
      throw new DecodeException("A request ends before its client and sequence are complete.");
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage() + ".");
    }
    Operation operation = OperationCodec.decode(bytes);
    if (bytes.hasRemaining()) {
      throw new DecodeException(
          "A request has " + bytes.remaining() + " bytes after its operation.");
    }
    return new ClientCommand(tag, operation);
  }
}

package io.quorate.operation;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * A request as it stands in a client's frame and in the log.
 *
 * <pre>
 * client(16 bytes) sequence(i64) floor(i64) operation
 * </pre>
 */
public record TaggedOperation(RequestTag tag, Operation operation) {
  private static final int TAG_BYTES = 4 * Long.BYTES;

  /** Length of the encoding in bytes. */
  public int size() {
    return TAG_BYTES + OperationCodec.size(operation);
  }

  /** Writes the encoding at the buffer's position. The buffer has at least {@link #size} left. */
  public void encode(ByteBuffer to) {
    to.putLong(tag.client().high()).putLong(tag.client().low());
    to.putLong(tag.sequence()).putLong(tag.floor());
    OperationCodec.encode(operation, to);
  }

  /** The encoding in a buffer of its own. */
  public ByteBuffer encoded() {
    ByteBuffer buffer = ByteBuffer.allocate(size());
    encode(buffer);
    return buffer.flip();
  }

  /**
   * Reads a request that fills the buffer; the buffer's position is left alone.
   *
   * @throws MalformedException if the bytes are anything else
   */
  public static TaggedOperation decode(ByteBuffer from) {
    ByteBuffer bytes = from.duplicate();
    RequestTag tag;
    try {
      ClientId client = new ClientId(bytes.getLong(), bytes.getLong());
      tag = new RequestTag(client, bytes.getLong(), bytes.getLong());
    } catch (BufferUnderflowException e) {
      throw new MalformedException("A request ends before its client and sequence are complete.");
    } catch (IllegalArgumentException e) {
      throw new MalformedException(e.getMessage() + ".");
    }
    Operation operation = OperationCodec.decode(bytes);
    if (bytes.hasRemaining()) {
      throw new MalformedException(
          "A request has " + bytes.remaining() + " bytes after its operation.");
    }
    return new TaggedOperation(tag, operation);
  }
}

package io.quorate.operation;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The state machine's answer to one operation.
 *
 * <pre>
 * result := tag(u8) body
 *
 * 0 Done
 * 1 Value      value?
 * 2 Number     i64
 * 3 Swap       swapped(u8) value?
 * 4 Refused    UTF-8 text
 * 5 Forgotten
 * </pre>
 */
public sealed interface Result {

  /** A result-free operation took its place in the order. */
  record Done() implements Result {}

  /** The value that {@link Operation.GetAndPut} replaced. */
  record Value(Optional<ByteBuffer> value) implements Result {}

  /** The sum of {@link Operation.IncrementAndGet}. */
  record Number(long value) implements Result {}

  /**
   * What {@link Operation.CompareAndSet} did.
   *
   * @param current the value that was found, when it was not the expected one
   */
  record Swap(boolean swapped, Optional<ByteBuffer> current) implements Result {}

  /** The operation does not fit the state it met; nothing was changed. */
  record Refused(String reason) implements Result {}

  /**
   * Whether the request had taken effect before is not known: it came late, or no more requests can
   * be remembered, and then a copy of it may yet take effect. It did not take effect now.
   */
  record Forgotten() implements Result {}

  Result DONE = new Done();
  Result FORGOTTEN = new Forgotten();

  /** The encoding, in a buffer of its own. */
  default ByteBuffer encoded() {
    if (this instanceof Value value) {
      ByteBuffer to = ByteBuffer.allocate(1 + OperationCodec.optionalSize(value.value()));
      OperationCodec.putOptional(to.put((byte) 1), value.value());
      return to.flip();
    } else if (this instanceof Number number) {
      return ByteBuffer.allocate(1 + Long.BYTES).put((byte) 2).putLong(number.value()).flip();
    } else if (this instanceof Swap swap) {
      ByteBuffer to = ByteBuffer.allocate(2 + OperationCodec.optionalSize(swap.current()));
      to.put((byte) 3).put((byte) (swap.swapped() ? 1 : 0));
      OperationCodec.putOptional(to, swap.current());
      return to.flip();
    } else if (this instanceof Refused refused) {
      byte[] text = refused.reason().getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(1 + text.length).put((byte) 4).put(text).flip();
    }
    return ByteBuffer.wrap(new byte[] {(byte) (this instanceof Done ? 0 : 5)});
  }

  /**
   * Reads a result that fills the buffer; values are slices of it.
   *
   * @throws MalformedException if the bytes are anything else
   */
  static Result decode(ByteBuffer from) {
    ByteBuffer bytes = from.duplicate();
    Result result;
    try {
      result = decodeTagged(bytes.get(), bytes);
    } catch (BufferUnderflowException e) {
      throw new MalformedException("A result ends before it is complete.");
    }
    if (bytes.hasRemaining()) {
      throw new MalformedException("A result has " + bytes.remaining() + " bytes after its end.");
    }
    return result;
  }

  private static Result decodeTagged(byte tag, ByteBuffer from) {
    return switch (tag) {
      case 0 -> DONE;
      case 1 -> new Value(OperationCodec.getOptional(from));
      case 2 -> new Number(from.getLong());
      case 3 -> new Swap(from.get() != 0, OperationCodec.getOptional(from));
      case 4 -> new Refused(StandardCharsets.UTF_8.decode(from).toString());
      case 5 -> FORGOTTEN;
      default -> throw new MalformedException("There is no result " + tag + ".");
    };
  }
}

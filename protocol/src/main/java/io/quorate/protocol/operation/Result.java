package io.quorate.protocol.operation;

import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReference;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The result of one operation, from the state machine. Integers are encoded big-endian.
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
 * 6 Superseded
 * 7 NeedsBody  reference, see {@link BodyReference}
 * 8 OutOfRange
 * 9 Outdated
 * </pre>
 */
public sealed interface Result {

  /** A result-free operation was committed. */
  record Done() implements Result {
    @Override
    public ByteBuffer encoded() {
      return ByteBuffer.wrap(new byte[] {0});
    }
  }

  /** The value that {@link Operation.GetAndPut} replaced; empty if the key did not exist. */
  record Value(Optional<ByteBuffer> value) implements Result {
    @Override
    public ByteBuffer encoded() {
      ByteBuffer to = ByteBuffer.allocate(1 + OperationCodec.optionalSize(value));
      return OperationCodec.putOptional(to.put((byte) 1), value).flip();
    }
  }

  /** The sum of {@link Operation.IncrementAndGet}. */
  record Number(long value) implements Result {
    @Override
    public ByteBuffer encoded() {
      return ByteBuffer.allocate(1 + Long.BYTES).put((byte) 2).putLong(value).flip();
    }
  }

  /**
   * The result of {@link Operation.CompareAndSet}.
   *
   * @param swapped whether the value was replaced
   * @param current the current value if it differs from the expected value and exists
   */
  record Swap(boolean swapped, Optional<ByteBuffer> current) implements Result {
    @Override
    public ByteBuffer encoded() {
      ByteBuffer to = ByteBuffer.allocate(2 + OperationCodec.optionalSize(current));
      to.put((byte) 3).put((byte) (swapped ? 1 : 0));
      return OperationCodec.putOptional(to, current).flip();
    }
  }

  /** The operation cannot be applied to the current state; it changed nothing. */
  record Refused(String reason) implements Result {
    @Override
    public ByteBuffer encoded() {
      byte[] text = reason.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(1 + text.length).put((byte) 4).put(text).flip();
    }
  }

  /**
   * The request did not take effect now, and it is unknown whether it took effect before: its
   * sequence is below the floor, or its session has as many results as it may have. In the latter
   * case, a copy of the request may still take effect later.
   */
  record Forgotten() implements Result {
    @Override
    public ByteBuffer encoded() {
      return ByteBuffer.wrap(new byte[] {5});
    }
  }

  /**
   * An {@link Operation.PutBody} or {@link Operation.Resolved} took no effect, because its position
   * is of another epoch than its body, or the value is not the expected body. Its request is not
   * recorded as executed: the server, or the client, repeats it. Not sent to clients.
   */
  record Superseded() implements Result {
    private static final byte TAG = 6;

    @Override
    public boolean isRecorded() {
      return false;
    }

    @Override
    public ByteBuffer encoded() {
      return ByteBuffer.wrap(new byte[] {TAG});
    }
  }

  /**
   * The operation took no effect, because it needs a value that is a body. Its request is not
   * recorded as executed: the server reads the body and proposes an {@link Operation.Resolved} of
   * the same request. Not sent to clients.
   */
  record NeedsBody(BodyReference body) implements Result {
    private static final byte TAG = 7;

    @Override
    public boolean isRecorded() {
      return false;
    }

    @Override
    public ByteBuffer encoded() {
      return body.write(ByteBuffer.allocate(1 + body.size()).put(TAG)).flip();
    }
  }

  /**
   * The operation took no effect, because a key of it was not in the range of the region at its
   * position: the region has split. Its request is not recorded as executed: the client repeats it,
   * with the same sequence, at the region that has the key, which has the result if the request
   * took effect before the split. Not sent to clients.
   */
  record OutOfRange() implements Result {
    private static final byte TAG = 8;

    @Override
    public boolean isRecorded() {
      return false;
    }

    @Override
    public ByteBuffer encoded() {
      return ByteBuffer.wrap(new byte[] {TAG});
    }
  }

  /**
   * The request did not take effect, and neither this copy of it nor any other one of its call ever
   * will: the region, or one whose sessions it has, has removed sessions that were active after the
   * position that the client knew when the call began. An earlier copy may have taken effect before
   * that, unless all of them are known to have been rejected. Then the client begins the call anew,
   * with another sequence and the position of this result.
   */
  record Outdated() implements Result {
    @Override
    public ByteBuffer encoded() {
      return ByteBuffer.wrap(new byte[] {9});
    }
  }

  Result DONE = new Done();
  Result FORGOTTEN = new Forgotten();
  Result OUTDATED = new Outdated();
  Result SUPERSEDED = new Superseded();
  Result OUT_OF_RANGE = new OutOfRange();

  /** Whether an encoded result is {@link Superseded}; does not move the buffer. */
  static boolean isSuperseded(ByteBuffer encoded) {
    return hasTag(encoded, Superseded.TAG);
  }

  /** Whether an encoded result is {@link OutOfRange}; does not move the buffer. */
  static boolean isOutOfRange(ByteBuffer encoded) {
    return hasTag(encoded, OutOfRange.TAG);
  }

  /**
   * The body of an encoded {@link NeedsBody}, empty for other results; does not move the buffer.
   */
  static Optional<BodyReference> neededBody(ByteBuffer encoded) {
    return hasTag(encoded, NeedsBody.TAG)
        ? Optional.of(((NeedsBody) decode(encoded)).body())
        : Optional.empty();
  }

  private static boolean hasTag(ByteBuffer encoded, byte tag) {
    return encoded.hasRemaining() && encoded.get(encoded.position()) == tag;
  }

  /**
   * Whether the session of the client records the request as executed. Otherwise the request had no
   * effect, and takes effect when it is repeated with the same sequence.
   */
  default boolean isRecorded() {
    return true;
  }

  /** The encoding, in a new buffer. */
  ByteBuffer encoded();

  /**
   * Decodes a result that fills the buffer from position to limit. The position is not changed;
   * values are slices of the buffer.
   *
   * @throws DecodeException if the bytes are not a valid result
   */
  static Result decode(ByteBuffer from) {
    ByteBuffer bytes = from.duplicate();
    Result result;
    try {
      result = decodeTagged(bytes.get(), bytes);
    } catch (BufferUnderflowException e) {
      throw new DecodeException("A result ends before it is complete.");
    }
    if (bytes.hasRemaining()) {
      throw new DecodeException("A result has " + bytes.remaining() + " bytes after its end.");
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
      case Superseded.TAG -> SUPERSEDED;
      case NeedsBody.TAG -> new NeedsBody(OperationCodec.getReference(from));
      case OutOfRange.TAG -> OUT_OF_RANGE;
      case 9 -> OUTDATED;
      default -> throw new DecodeException("There is no result " + tag + ".");
    };
  }
}

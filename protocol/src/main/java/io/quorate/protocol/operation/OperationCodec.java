package io.quorate.protocol.operation;

import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReference;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation.Kind;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The encoding of operations, in requests and in the log. Integers are big-endian.
 *
 * <pre>
 * operation := tag(u8) body
 * key       := length(u16) bytes
 * value     := length(i32) bytes          a missing optional value has length -1
 *
 * 1 Put              key value
 * 2 Delete           key
 * 3 Append           key value valueBytesMax(i32)
 * 4 Increment        key delta(i64)
 * 5 IncrementAndGet  key delta(i64)
 * 6 GetAndPut        key value
 * 7 CompareAndSet    key value? value?
 * 8 Batch            count(i32) operation*
 * 9 ExpireSessions   epoch(i64) index(i64)
 * 10 PutBody         key reference, see {@link BodyReference}
 * 11 Resolved        key epoch(i64) number(i64) change value
 *                    see {@link ValueChange}; the value is an encoded {@link Result}
 * 12 Split           key child(i32)
 * 13 Freeze          merge(i32)
 * 14 Unfreeze        merge(i32)
 * 15 Absorb          merge(i32) range value, see {@link KeyRange}
 * 16 EndSession
 * 17 Digest          count(u8) key*
 * </pre>
 *
 * <p>The decoder checks every length against the remaining bytes before it allocates memory.
 * Decoded values are slices of the input buffer.
 */
public final class OperationCodec {
  private static final int KEY_LENGTH = Short.BYTES;
  private static final int VALUE_LENGTH = Integer.BYTES;

  private OperationCodec() {}

  /** Length of the encoding in bytes. */
  public static int size(Operation operation) {
    return switch (operation.kind()) {
      case PUT -> {
        Operation.Put put = (Operation.Put) operation;
        yield headSize(put) + VALUE_LENGTH + put.value().remaining();
      }
      case DELETE -> headSize((Operation.Delete) operation);
      case APPEND -> {
        Operation.Append append = (Operation.Append) operation;
        yield headSize(append) + VALUE_LENGTH + append.suffix().remaining() + Integer.BYTES;
      }
      case INCREMENT, INCREMENT_AND_GET -> headSize((Operation.OnKey) operation) + Long.BYTES;
      case GET_AND_PUT -> {
        Operation.GetAndPut swap = (Operation.GetAndPut) operation;
        yield headSize(swap) + VALUE_LENGTH + swap.value().remaining();
      }
      case COMPARE_AND_SET -> {
        Operation.CompareAndSet cas = (Operation.CompareAndSet) operation;
        yield headSize(cas) + optionalSize(cas.expected()) + optionalSize(cas.replacement());
      }
      case BATCH -> {
        int size = 1 + Integer.BYTES;
        for (Operation part : ((Operation.Batch) operation).operations()) {
          size = Math.addExact(size, size(part));
        }
        yield size;
      }
      case EXPIRE_SESSIONS -> 1 + Position.BYTES;
      case END_SESSION -> 1;
      case DIGEST ->
          2
              + ((Operation.Digest) operation)
                  .bounds().stream().mapToInt(key -> KEY_LENGTH + key.size()).sum();
      case PUT_BODY -> {
        Operation.PutBody put = (Operation.PutBody) operation;
        yield headSize(put) + put.body().size();
      }
      case RESOLVED -> {
        Operation.Resolved resolved = (Operation.Resolved) operation;
        yield headSize(resolved)
            + 2 * Long.BYTES
            + resolved.change().size()
            + VALUE_LENGTH
            + resolved.result().remaining();
      }
      case SPLIT -> 1 + KEY_LENGTH + ((Operation.Split) operation).at().size() + Integer.BYTES;
      case FREEZE, UNFREEZE -> 1 + Integer.BYTES;
      case ABSORB -> {
        Operation.Absorb absorb = (Operation.Absorb) operation;
        yield 1
            + Integer.BYTES
            + absorb.range().encodedBytes()
            + VALUE_LENGTH
            + absorb.state().remaining();
      }
    };
  }

  /** The size of the tag and the key. */
  private static int headSize(Operation.OnKey operation) {
    return 1 + KEY_LENGTH + operation.key().size();
  }

  /**
   * Writes the encoding at the buffer's position. At least {@link #size} bytes must remain.
   *
   * @return the buffer
   * @throws DecodeException if a key is longer than {@link Limits#KEY_BYTES_MAX}
   */
  public static ByteBuffer encode(Operation operation, ByteBuffer to) {
    to.put(operation.kind().tag());
    return switch (operation.kind()) {
      case PUT -> {
        Operation.Put put = (Operation.Put) operation;
        yield putValue(putKey(to, put.key()), put.value());
      }
      case DELETE -> putKey(to, ((Operation.Delete) operation).key());
      case APPEND -> {
        Operation.Append append = (Operation.Append) operation;
        yield putValue(putKey(to, append.key()), append.suffix()).putInt(append.valueBytesMax());
      }
      case INCREMENT -> {
        Operation.Increment increment = (Operation.Increment) operation;
        yield putKey(to, increment.key()).putLong(increment.delta());
      }
      case INCREMENT_AND_GET -> {
        Operation.IncrementAndGet increment = (Operation.IncrementAndGet) operation;
        yield putKey(to, increment.key()).putLong(increment.delta());
      }
      case GET_AND_PUT -> {
        Operation.GetAndPut swap = (Operation.GetAndPut) operation;
        yield putValue(putKey(to, swap.key()), swap.value());
      }
      case COMPARE_AND_SET -> {
        Operation.CompareAndSet cas = (Operation.CompareAndSet) operation;
        yield putOptional(putOptional(putKey(to, cas.key()), cas.expected()), cas.replacement());
      }
      case BATCH -> {
        Operation.Batch batch = (Operation.Batch) operation;
        to.putInt(batch.operations().size());
        batch.operations().forEach(part -> encode(part, to));
        yield to;
      }
      case EXPIRE_SESSIONS -> ((Operation.ExpireSessions) operation).before().write(to);
      case END_SESSION -> to;
      case DIGEST -> {
        List<Key> bounds = ((Operation.Digest) operation).bounds();
        to.put((byte) bounds.size());
        bounds.forEach(key -> putKey(to, key));
        yield to;
      }
      case PUT_BODY -> {
        Operation.PutBody put = (Operation.PutBody) operation;
        yield put.body().write(putKey(to, put.key()));
      }
      case RESOLVED -> {
        Operation.Resolved resolved = (Operation.Resolved) operation;
        putKey(to, resolved.key());
        to.putLong(resolved.expectedEpoch()).putLong(resolved.expectedNumber());
        yield putValue(resolved.change().encode(to), resolved.result());
      }
      case SPLIT -> {
        Operation.Split split = (Operation.Split) operation;
        yield putKey(to, split.at()).putInt(split.child().value());
      }
      case FREEZE, UNFREEZE -> to.putInt(((Operation.OnRange) operation).number().value());
      case ABSORB -> {
        Operation.Absorb absorb = (Operation.Absorb) operation;
        to.putInt(absorb.number().value());
        yield putValue(absorb.range().write(to), absorb.state());
      }
    };
  }

  /**
   * Decodes one operation at the buffer's position and advances the position past it.
   *
   * @throws DecodeException if the bytes are not a valid operation
   */
  public static Operation decode(ByteBuffer from) {
    try {
      return decode(Kind.of(from.get()), from);
    } catch (BufferUnderflowException e) {
      throw new DecodeException("An operation ends before it is complete.");
    }
  }

  private static Operation decode(Kind kind, ByteBuffer from) {
    return switch (kind) {
      case PUT -> new Operation.Put(getKey(from), getValue(from));
      case DELETE -> new Operation.Delete(getKey(from));
      case APPEND -> new Operation.Append(getKey(from), getValue(from), getValueBound(from));
      case INCREMENT -> new Operation.Increment(getKey(from), from.getLong());
      case INCREMENT_AND_GET -> new Operation.IncrementAndGet(getKey(from), from.getLong());
      case GET_AND_PUT -> new Operation.GetAndPut(getKey(from), getValue(from));
      case COMPARE_AND_SET ->
          new Operation.CompareAndSet(getKey(from), getOptional(from), getOptional(from));
      case BATCH -> decodeBatch(from);
      case EXPIRE_SESSIONS -> new Operation.ExpireSessions(Position.read(from));
      case END_SESSION -> new Operation.EndSession();
      case DIGEST -> decodeDigest(from);
      case PUT_BODY -> new Operation.PutBody(getKey(from), getReference(from));
      case RESOLVED ->
          new Operation.Resolved(
              getKey(from),
              from.getLong(),
              from.getLong(),
              ValueChange.decode(from),
              getResult(from));
      case SPLIT -> new Operation.Split(getKey(from), getGroup(from));
      case FREEZE -> new Operation.Freeze(getGroup(from));
      case UNFREEZE -> new Operation.Unfreeze(getGroup(from));
      case ABSORB -> new Operation.Absorb(getGroup(from), getRange(from), getValue(from));
    };
  }

  /** An encoded result, which is valid: the state machine decodes it. */
  private static ByteBuffer getResult(ByteBuffer from) {
    ByteBuffer result = getValue(from);
    Result.decode(result);
    return result;
  }

  private static GroupId getGroup(ByteBuffer from) {
    try {
      return new GroupId(from.getInt());
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage() + ".");
    }
  }

  private static KeyRange getRange(ByteBuffer from) {
    try {
      return KeyRange.read(from);
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage() + ".");
    }
  }

  static BodyReference getReference(ByteBuffer from) {
    try {
      return BodyReference.read(from);
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage() + ".");
    }
  }

  private static Operation.Digest decodeDigest(ByteBuffer from) {
    int count = Byte.toUnsignedInt(from.get());
    if (count > Operation.Digest.BOUNDS_MAX) {
      throw new DecodeException("A digest claims " + count + " bounds.");
    }
    List<Key> bounds = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      bounds.add(getKey(from));
    }
    try {
      return new Operation.Digest(bounds);
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage());
    }
  }

  private static Operation.Batch decodeBatch(ByteBuffer from) {
    int count = from.getInt();
    if (count < 0 || count > from.remaining()) {
      throw new DecodeException("A batch claims " + count + " operations, more than it holds.");
    }
    if (count > Limits.BATCH_OPERATIONS_MAX) {
      throw new DecodeException(
          "A batch has at most "
              + Limits.BATCH_OPERATIONS_MAX
              + " operations; this one has "
              + count
              + ".");
    }
    List<Operation.OnKey> operations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte tag = from.get();
      if (tag < Kind.PUT.tag() || tag > Kind.INCREMENT.tag()) {
        throw new DecodeException(
            "A batch holds put, delete, append and increment only, not operation " + tag + ".");
      }
      operations.add((Operation.OnKey) decode(Kind.of(tag), from));
    }
    return new Operation.Batch(operations);
  }

  private static ByteBuffer putKey(ByteBuffer to, Key key) {
    if (key.size() > Limits.KEY_BYTES_MAX) {
      throw new DecodeException(
          "A key has at most " + Limits.KEY_BYTES_MAX + " bytes; this one has " + key.size() + ".");
    }
    return to.putShort((short) key.size()).put(key.bytes());
  }

  private static Key getKey(ByteBuffer from) {
    int length = Short.toUnsignedInt(from.getShort());
    if (length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    from.get(bytes);
    return Key.wrap(bytes);
  }

  static ByteBuffer putValue(ByteBuffer to, ByteBuffer value) {
    return to.putInt(value.remaining()).put(value.duplicate());
  }

  static ByteBuffer getValue(ByteBuffer from) {
    int length = from.getInt();
    if (length < 0 || length > from.remaining()) {
      throw new DecodeException(
          "A value claims " + length + " bytes where " + from.remaining() + " are left.");
    }
    ByteBuffer value = from.slice(from.position(), length);
    from.position(from.position() + length);
    return value;
  }

  private static int getValueBound(ByteBuffer from) {
    int valueBytesMax = from.getInt();
    if (valueBytesMax < 0 || valueBytesMax > Limits.VALUE_BYTES_MAX) {
      throw new DecodeException(
          "An append allows values of "
              + valueBytesMax
              + " bytes; the maximum is "
              + Limits.VALUE_BYTES_MAX
              + ".");
    }
    return valueBytesMax;
  }

  static int optionalSize(Optional<ByteBuffer> value) {
    return VALUE_LENGTH + value.map(ByteBuffer::remaining).orElse(0);
  }

  static ByteBuffer putOptional(ByteBuffer to, Optional<ByteBuffer> value) {
    return value.isPresent() ? putValue(to, value.get()) : to.putInt(-1);
  }

  static Optional<ByteBuffer> getOptional(ByteBuffer from) {
    if (from.remaining() >= Integer.BYTES && from.getInt(from.position()) == -1) {
      from.getInt();
      return Optional.empty();
    }
    return Optional.of(getValue(from));
  }
}

package io.quorate.operation;

import io.quorate.consensus.Key;
import io.quorate.consensus.Position;
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
 * </pre>
 *
 * <p>The decoder checks every length against the remaining bytes before it allocates memory.
 * Decoded values are slices of the input buffer.
 */
public final class OperationCodec {
  private static final byte PUT = 1;
  private static final byte DELETE = 2;
  private static final byte APPEND = 3;
  private static final byte INCREMENT = 4;
  private static final byte INCREMENT_AND_GET = 5;
  private static final byte GET_AND_PUT = 6;
  private static final byte COMPARE_AND_SET = 7;
  private static final byte BATCH = 8;
  private static final byte EXPIRE_SESSIONS = 9;

  private static final int KEY_LENGTH = Short.BYTES;
  private static final int VALUE_LENGTH = Integer.BYTES;

  private OperationCodec() {}

  /** Length of the encoding in bytes. */
  public static int size(Operation operation) {
    if (operation instanceof Operation.Batch batch) {
      int size = 1 + Integer.BYTES;
      for (Operation part : batch.operations()) {
        size = Math.addExact(size, size(part));
      }
      return size;
    }
    if (operation instanceof Operation.ExpireSessions) {
      return 1 + 2 * Long.BYTES;
    }
    Operation.OnKey onKey = (Operation.OnKey) operation;
    int head = 1 + KEY_LENGTH + onKey.key().size();
    if (onKey instanceof Operation.Put put) {
      return head + VALUE_LENGTH + put.value().remaining();
    } else if (onKey instanceof Operation.Append append) {
      return head + VALUE_LENGTH + append.suffix().remaining() + Integer.BYTES;
    } else if (onKey instanceof Operation.GetAndPut swap) {
      return head + VALUE_LENGTH + swap.value().remaining();
    } else if (onKey instanceof Operation.CompareAndSet cas) {
      return head + optionalSize(cas.expected()) + optionalSize(cas.replacement());
    } else if (onKey instanceof Operation.Delete) {
      return head;
    }
    return head + Long.BYTES;
  }

  /**
   * Writes the encoding at the buffer's position. At least {@link #size} bytes must remain.
   *
   * @throws DecodeException if a key is longer than {@link Limits#KEY_BYTES_MAX}
   */
  public static void encode(Operation operation, ByteBuffer to) {
    if (operation instanceof Operation.Put put) {
      putKey(to.put(PUT), put.key());
      putValue(to, put.value());
    } else if (operation instanceof Operation.Delete delete) {
      putKey(to.put(DELETE), delete.key());
    } else if (operation instanceof Operation.Append append) {
      putKey(to.put(APPEND), append.key());
      putValue(to, append.suffix());
      to.putInt(append.valueBytesMax());
    } else if (operation instanceof Operation.Increment increment) {
      putKey(to.put(INCREMENT), increment.key());
      to.putLong(increment.delta());
    } else if (operation instanceof Operation.IncrementAndGet increment) {
      putKey(to.put(INCREMENT_AND_GET), increment.key());
      to.putLong(increment.delta());
    } else if (operation instanceof Operation.GetAndPut swap) {
      putKey(to.put(GET_AND_PUT), swap.key());
      putValue(to, swap.value());
    } else if (operation instanceof Operation.CompareAndSet cas) {
      putKey(to.put(COMPARE_AND_SET), cas.key());
      putOptional(to, cas.expected());
      putOptional(to, cas.replacement());
    } else if (operation instanceof Operation.Batch batch) {
      to.put(BATCH).putInt(batch.operations().size());
      batch.operations().forEach(part -> encode(part, to));
    } else if (operation instanceof Operation.ExpireSessions expire) {
      to.put(EXPIRE_SESSIONS);
      to.putLong(expire.before().epoch()).putLong(expire.before().index());
    }
  }

  /**
   * Decodes one operation at the buffer's position and advances the position past it.
   *
   * @throws DecodeException if the bytes are not a valid operation
   */
  public static Operation decode(ByteBuffer from) {
    try {
      return decodeTagged(from.get(), from);
    } catch (BufferUnderflowException e) {
      throw new DecodeException("An operation ends before it is complete.");
    }
  }

  private static Operation decodeTagged(byte tag, ByteBuffer from) {
    return switch (tag) {
      case PUT -> new Operation.Put(getKey(from), getValue(from));
      case DELETE -> new Operation.Delete(getKey(from));
      case APPEND -> new Operation.Append(getKey(from), getValue(from), getValueBound(from));
      case INCREMENT -> new Operation.Increment(getKey(from), from.getLong());
      case INCREMENT_AND_GET -> new Operation.IncrementAndGet(getKey(from), from.getLong());
      case GET_AND_PUT -> new Operation.GetAndPut(getKey(from), getValue(from));
      case COMPARE_AND_SET ->
          new Operation.CompareAndSet(getKey(from), getOptional(from), getOptional(from));
      case BATCH -> decodeBatch(from);
      case EXPIRE_SESSIONS ->
          new Operation.ExpireSessions(new Position(from.getLong(), from.getLong()));
      default -> throw new DecodeException("There is no operation " + tag + ".");
    };
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
      if (tag < PUT || tag > INCREMENT) {
        throw new DecodeException(
            "A batch holds put, delete, append and increment only, not operation " + tag + ".");
      }
      operations.add((Operation.OnKey) decodeTagged(tag, from));
    }
    return new Operation.Batch(operations);
  }

  private static void putKey(ByteBuffer to, Key key) {
    if (key.size() > Limits.KEY_BYTES_MAX) {
      throw new DecodeException(
          "A key has at most " + Limits.KEY_BYTES_MAX + " bytes; this one has " + key.size() + ".");
    }
    to.putShort((short) key.size()).put(key.bytes());
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

  static void putValue(ByteBuffer to, ByteBuffer value) {
    to.putInt(value.remaining()).put(value.duplicate());
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

  static void putOptional(ByteBuffer to, Optional<ByteBuffer> value) {
    if (value.isPresent()) {
      putValue(to, value.get());
    } else {
      to.putInt(-1);
    }
  }

  static Optional<ByteBuffer> getOptional(ByteBuffer from) {
    if (from.remaining() >= Integer.BYTES && from.getInt(from.position()) == -1) {
      from.getInt();
      return Optional.empty();
    }
    return Optional.of(getValue(from));
  }
}

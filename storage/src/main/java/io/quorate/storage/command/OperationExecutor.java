package io.quorate.storage.command;

import io.quorate.consensus.BodyReference;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ValueChange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Executes operations on the values of a region, which has their keys (see {@link
 * RegionShape#hasKeysOf}). The outcome depends only on the operation and the values, which are
 * replicated, so every replica computes the same (decision 0021). No setting, clock or random
 * number belongs here. The format of the rows is a property of the cluster: with bodies, operations
 * that need a value which is a body have no effect, and the result says which body they need; the
 * leader resolves them (rule E7).
 */
public final class OperationExecutor {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** A batch is not resolved: it could need many bodies at once. */
  private static final Result VALUE_IS_BODY =
      new Result.Refused(
          "The value of this key is stored as a body, because it is large, and this operation needs"
              + " it; read it and put it.");

  private static final Result NO_KEY = new Result.Refused("The empty key is never stored.");

  private static final Result NO_BODIES = new Result.Refused("This region holds no bodies.");

  private final RowFormat format;

  public OperationExecutor(RowFormat format) {
    this.format = format;
  }

  /**
   * Whether a command has no effect because its position is of another epoch than its body (rule 3
   * of decision 0029): the body may be garbage. The session of the client does not record the
   * request then: the client repeats it with the same sequence.
   */
  public static boolean isSuperseded(Operation operation, Position position) {
    Optional<BodyReference> body = operation.newBody();
    return body.isPresent() && body.get().epoch() != position.epoch();
  }

  /**
   * Executes an operation on one key.
   *
   * @throws IOException if a value could not be read; earlier changes stay
   */
  public Result execute(Operation.OnKey operation, ValueStore values) throws IOException {
    if (!accepts(operation)) {
      return NO_KEY;
    }
    return executeInRange(operation, values);
  }

  /**
   * Executes all operations of a batch, or none: if one of its keys is empty, or a value to which
   * it appends is a body.
   */
  public Result execute(Operation.Batch batch, ValueStore values) throws IOException {
    if (!accepts(batch)) {
      return NO_KEY;
    }
    if (format != RowFormat.PLAIN && appendsToBody(batch, values)) {
      return VALUE_IS_BODY;
    }
    for (Operation.OnKey part : batch.operations()) {
      executeInRange(part, values);
    }
    return Result.DONE;
  }

  private boolean appendsToBody(Operation.Batch batch, ValueStore values) throws IOException {
    Set<Key> overwritten = new HashSet<>();
    for (Operation.OnKey part : batch.operations()) {
      switch (part.kind()) {
        case PUT, DELETE -> overwritten.add(part.key());
        case APPEND -> {
          if (!overwritten.contains(part.key()) && body(values.get(part.key())).isPresent()) {
            return true;
          }
        }
        default -> {
          // An increment makes no body of a value, and no value of a body.
        }
      }
    }
    return false;
  }

  /** The body that is the value; empty if there is no value, or it is in its row. */
  private Optional<BodyReference> body(Optional<ByteBuffer> row) {
    return row.isPresent() && format.stored(row.get()) instanceof StoredValue.Body body
        ? Optional.of(body.reference())
        : Optional.empty();
  }

  /** Whether every key of a batch may be stored: a batch takes effect completely or not at all. */
  boolean accepts(Operation.Batch batch) {
    return batch.operations().stream().allMatch(this::accepts);
  }

  /** Whether the key may be stored; other operations are refused whatever the state. */
  boolean accepts(Operation.OnKey operation) {
    // The empty key is a bound of ranges and is never stored.
    return !operation.key().isEmpty();
  }

  private Result executeInRange(Operation.OnKey operation, ValueStore values) throws IOException {
    return switch (operation.kind()) {
      case PUT -> {
        values.put(operation.key(), format.row(((Operation.Put) operation).value()));
        yield Result.DONE;
      }
      case PUT_BODY -> putBody((Operation.PutBody) operation, values);
      case RESOLVED -> resolved((Operation.Resolved) operation, values);
      case DELETE -> {
        values.delete(operation.key());
        yield Result.DONE;
      }
      case APPEND -> append((Operation.Append) operation, values);
      case INCREMENT -> {
        add(operation.key(), ((Operation.Increment) operation).delta(), values);
        yield Result.DONE;
      }
      case INCREMENT_AND_GET ->
          add(operation.key(), ((Operation.IncrementAndGet) operation).delta(), values);
      case GET_AND_PUT -> getAndPut((Operation.GetAndPut) operation, values);
      case COMPARE_AND_SET -> compareAndSet((Operation.CompareAndSet) operation, values);
      case BATCH, EXPIRE_SESSIONS, END_SESSION, DIGEST, SPLIT, FREEZE, UNFREEZE, ABSORB ->
          throw new AssertionError("Not on one key: " + operation);
    };
  }

  private Result putBody(Operation.PutBody put, ValueStore values) {
    if (format == RowFormat.PLAIN) {
      return NO_BODIES;
    }
    values.put(put.key(), format.row(put.body()));
    return Result.DONE;
  }

  /**
   * Only on the body from which the outcome was computed. Whatever the epochs: a body never
   * changes, so the outcome is that of the operation at this position.
   */
  private Result resolved(Operation.Resolved resolved, ValueStore values) throws IOException {
    if (format == RowFormat.PLAIN) {
      return NO_BODIES;
    }
    if (body(values.get(resolved.key())).filter(resolved::expects).isEmpty()) {
      return Result.SUPERSEDED;
    }
    ValueChange change = resolved.change();
    if (change instanceof ValueChange.Put put) {
      values.put(resolved.key(), format.row(put.value()));
    } else if (change instanceof ValueChange.PutBody put) {
      values.put(resolved.key(), format.row(put.body()));
    } else if (change instanceof ValueChange.Delete) {
      values.delete(resolved.key());
    } else if (!(change instanceof ValueChange.None)) {
      throw new IllegalStateException("There is no such change of a value: " + change);
    }
    return Result.decode(resolved.result());
  }

  private Result append(Operation.Append append, ValueStore values) throws IOException {
    Optional<ByteBuffer> row = values.get(append.key());
    Optional<BodyReference> body = body(row);
    if (body.isPresent()) {
      return new Result.NeedsBody(body.get());
    }
    ByteBuffer before = row.isPresent() ? format.value(row.get()) : NOTHING;
    long length = (long) before.remaining() + append.suffix().remaining();
    if (length <= append.valueBytesMax()) {
      ByteBuffer after = ByteBuffer.allocate((int) length);
      after.put(before.duplicate()).put(append.suffix().duplicate());
      values.put(append.key(), format.row(after.flip()));
    }
    return Result.DONE;
  }

  private Result add(Key key, long delta, ValueStore values) throws IOException {
    OptionalLong number = number(values.get(key));
    if (number.isEmpty()) {
      return new Result.Refused("The value is not a number.");
    }
    OptionalLong sum = DecimalNumber.add(number.getAsLong(), delta);
    if (sum.isEmpty()) {
      return new Result.Refused("The sum does not fit in 64 bits.");
    }
    values.put(key, format.row(DecimalNumber.format(sum.getAsLong())));
    return new Result.Number(sum.getAsLong());
  }

  /** The number in a row; empty if there is none: a body is longer than any number. */
  private OptionalLong number(Optional<ByteBuffer> row) {
    if (row.isEmpty()) {
      return OptionalLong.of(0);
    }
    return format.isBody(row.get())
        ? OptionalLong.empty()
        : DecimalNumber.parse(format.value(row.get()));
  }

  private Result getAndPut(Operation.GetAndPut operation, ValueStore values) throws IOException {
    Optional<ByteBuffer> before = values.get(operation.key());
    Optional<BodyReference> body = body(before);
    if (body.isPresent()) {
      return new Result.NeedsBody(body.get());
    }
    values.put(operation.key(), format.row(operation.value()));
    return new Result.Value(before.map(format::value));
  }

  private Result compareAndSet(Operation.CompareAndSet operation, ValueStore values)
      throws IOException {
    Optional<ByteBuffer> row = values.get(operation.key());
    Optional<BodyReference> body = body(row);
    if (body.isPresent()) {
      // Also if the key must not exist: the result contains the value.
      return new Result.NeedsBody(body.get());
    }
    Optional<ByteBuffer> current = row.map(format::value);
    if (!current.equals(operation.expected())) {
      return new Result.Swap(false, current);
    }
    if (operation.replacement().isPresent()) {
      values.put(operation.key(), format.row(operation.replacement().get()));
    } else {
      values.delete(operation.key());
    }
    return new Result.Swap(true, Optional.empty());
  }
}

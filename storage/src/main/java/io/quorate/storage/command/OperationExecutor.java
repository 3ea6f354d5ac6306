package io.quorate.storage.command;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.operation.Operation;
import io.quorate.operation.Result;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Executes operations on the values of a region. The outcome depends only on the operation, the
 * values and the region's range, all of which are replicated, so every replica computes the same
 * (decision 0021). No setting, clock or random number belongs here.
 */
public final class OperationExecutor {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final KeyRange range;

  public OperationExecutor(KeyRange range) {
    this.range = range;
  }

  /**
   * Executes an operation on one key.
   *
   * @throws IOException if a value could not be read; earlier changes stay
   */
  public Result execute(Operation.OnKey operation, ValueStore values) throws IOException {
    if (!accepts(operation)) {
      return new Result.Refused("The key is not in this region's range.");
    }
    return executeInRange(operation, values);
  }

  /** Executes all operations of a batch, or none if one of its keys is outside the range. */
  public Result execute(Operation.Batch batch, ValueStore values) throws IOException {
    if (!accepts(batch)) {
      return new Result.Refused("A key of the batch is not in this region's range.");
    }
    for (Operation.OnKey part : batch.operations()) {
      executeInRange(part, values);
    }
    return Result.DONE;
  }

  /**
   * Whether every key of a batch is in the range: a batch takes effect completely or not at all.
   */
  boolean accepts(Operation.Batch batch) {
    return batch.operations().stream().allMatch(this::accepts);
  }

  /** Whether the key is in the range; other operations are refused whatever the state. */
  boolean accepts(Operation.OnKey operation) {
    // The empty key is a bound of ranges and is never stored.
    return !operation.key().isEmpty() && range.contains(operation.key());
  }

  private Result executeInRange(Operation.OnKey operation, ValueStore values) throws IOException {
    return switch (operation.kind()) {
      case PUT -> {
        values.put(operation.key(), ((Operation.Put) operation).value());
        yield Result.DONE;
      }
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
      case GET_AND_PUT -> {
        Optional<ByteBuffer> before = values.get(operation.key());
        values.put(operation.key(), ((Operation.GetAndPut) operation).value());
        yield new Result.Value(before);
      }
      case COMPARE_AND_SET -> compareAndSet((Operation.CompareAndSet) operation, values);
      case BATCH, EXPIRE_SESSIONS -> throw new AssertionError("Not on one key: " + operation);
    };
  }

  private static Result append(Operation.Append append, ValueStore values) throws IOException {
    ByteBuffer before = values.get(append.key()).orElse(NOTHING);
    long length = (long) before.remaining() + append.suffix().remaining();
    if (length <= append.valueBytesMax()) {
      ByteBuffer after = ByteBuffer.allocate((int) length);
      after.put(before.duplicate()).put(append.suffix().duplicate());
      values.put(append.key(), after.flip());
    }
    return Result.DONE;
  }

  private static Result add(Key key, long delta, ValueStore values) throws IOException {
    Optional<ByteBuffer> before = values.get(key);
    OptionalLong number = before.isEmpty() ? OptionalLong.of(0) : DecimalNumber.parse(before.get());
    if (number.isEmpty()) {
      return new Result.Refused("The value is not a number.");
    }
    OptionalLong sum = DecimalNumber.add(number.getAsLong(), delta);
    if (sum.isEmpty()) {
      return new Result.Refused("The sum does not fit in 64 bits.");
    }
    values.put(key, DecimalNumber.format(sum.getAsLong()));
    return new Result.Number(sum.getAsLong());
  }

  private static Result compareAndSet(Operation.CompareAndSet operation, ValueStore values)
      throws IOException {
    Optional<ByteBuffer> current = values.get(operation.key());
    if (!current.equals(operation.expected())) {
      return new Result.Swap(false, current);
    }
    if (operation.replacement().isPresent()) {
      values.put(operation.key(), operation.replacement().get());
    } else {
      values.delete(operation.key());
    }
    return new Result.Swap(true, Optional.empty());
  }
}

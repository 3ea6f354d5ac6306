package io.quorate.storage;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.operation.Operation;
import io.quorate.operation.Result;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What each operation does to the values of a region. Decides by the operation, the values and the
 * region's range alone, all of which are replicated, so that every replica does the same (decision
 * 0021). No setting, clock or random number belongs here.
 */
final class Execution {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final KeyRange range;

  Execution(KeyRange range) {
    this.range = range;
  }

  /**
   * Carries out a data operation.
   *
   * @throws IOException if a value could not be read; changes made before stay
   */
  Result execute(Operation.OnKey operation, Values values) throws IOException {
    if (!accepts(operation)) {
      return new Result.Refused("The key is not in this region's range.");
    }
    return executeInRange(operation, values);
  }

  /** Carries out all of a batch, or nothing if one of its keys does not belong here. */
  Result execute(Operation.Batch batch, Values values) throws IOException {
    if (!accepts(batch)) {
      return new Result.Refused("A key of the batch is not in this region's range.");
    }
    for (Operation.OnKey part : batch.operations()) {
      executeInRange(part, values);
    }
    return Result.DONE;
  }

  /** Whether every key of a batch belongs here: it takes effect in whole or not at all. */
  boolean accepts(Operation.Batch batch) {
    return batch.operations().stream().allMatch(this::accepts);
  }

  /** Whether the key belongs here; what does not is refused whatever the state. */
  boolean accepts(Operation.OnKey operation) {
    // The empty key bounds ranges and is never stored.
    return !operation.key().isEmpty() && range.contains(operation.key());
  }

  private Result executeInRange(Operation.OnKey operation, Values values) throws IOException {
    if (operation instanceof Operation.Put put) {
      values.put(put.key(), put.value());
      return Result.DONE;
    } else if (operation instanceof Operation.Delete delete) {
      values.delete(delete.key());
      return Result.DONE;
    } else if (operation instanceof Operation.Append append) {
      return append(append, values);
    } else if (operation instanceof Operation.Increment increment) {
      add(increment.key(), increment.delta(), values);
      return Result.DONE;
    } else if (operation instanceof Operation.IncrementAndGet increment) {
      return add(increment.key(), increment.delta(), values);
    } else if (operation instanceof Operation.GetAndPut swap) {
      Optional<ByteBuffer> before = values.get(swap.key());
      values.put(swap.key(), swap.value());
      return new Result.Value(before);
    }
    return compareAndSet((Operation.CompareAndSet) operation, values);
  }

  private static Result append(Operation.Append append, Values values) throws IOException {
    ByteBuffer before = values.get(append.key()).orElse(NOTHING);
    long length = (long) before.remaining() + append.suffix().remaining();
    if (length <= append.valueBytesMost()) {
      ByteBuffer after = ByteBuffer.allocate((int) length);
      after.put(before.duplicate()).put(append.suffix().duplicate());
      values.put(append.key(), after.flip());
    }
    return Result.DONE;
  }

  private static Result add(Key key, long delta, Values values) throws IOException {
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

  private static Result compareAndSet(Operation.CompareAndSet operation, Values values)
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

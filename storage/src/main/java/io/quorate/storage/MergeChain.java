package io.quorate.storage;

import io.quorate.consensus.Key;
import io.quorate.consensus.Position;
import io.quorate.operation.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Operations on one key, executed in order on a value exactly as they will be applied (rule B3).
 */
final class MergeChain {
  private final Optional<PendingVersions.KnownValue> start;
  private final List<Operation.OnKey> operations;
  private final PendingVersions newest;

  /**
   * @param start the value before the operations, if it is known without reading the state
   * @param operations in log order; at least one, unless the start is known
   * @param newest the last change of the chain, which caches the resulting value
   */
  MergeChain(
      Optional<PendingVersions.KnownValue> start,
      Collection<Operation.OnKey> operations,
      PendingVersions newest) {
    this.start = start;
    this.operations = List.copyOf(operations);
    this.newest = newest;
  }

  /** Whether the value after the operation is independent of the value before it. */
  static boolean ignoresValue(Operation.OnKey operation) {
    return operation instanceof Operation.Put
        || operation instanceof Operation.Delete
        || operation instanceof Operation.GetAndPut;
  }

  /** Position of the last operation. */
  Position at() {
    return newest.at();
  }

  /** Number of operations to execute. */
  int size() {
    return operations.size();
  }

  /** Whether the resulting value depends on the value before. */
  boolean needsValue() {
    return start.isEmpty() && !ignoresValue(operations.get(0));
  }

  /** Whether the chain may remove the key; called only if that depends on the value before. */
  boolean mayRemove() {
    return operations.stream()
        .anyMatch(
            operation ->
                operation instanceof Operation.Delete
                    || (operation instanceof Operation.CompareAndSet swap
                        && swap.replacement().isEmpty()));
  }

  /**
   * Executes the chain and returns the resulting value.
   *
   * @param before the value before the first operation; ignored unless {@link #needsValue}
   */
  Optional<ByteBuffer> applyTo(Optional<ByteBuffer> before, OperationExecutor execution)
      throws IOException {
    SingleValue value = new SingleValue(start.isPresent() ? start.get().value() : before);
    for (Operation.OnKey operation : operations) {
      execution.execute(operation, value);
    }
    if (operations.size() > 1) {
      newest.cacheValue(value.present);
    }
    return value.present;
  }

  /** A store that holds only the value of the chain's key. */
  private static final class SingleValue implements ValueStore {
    private Optional<ByteBuffer> present;

    SingleValue(Optional<ByteBuffer> present) {
      this.present = present;
    }

    @Override
    public Optional<ByteBuffer> get(Key key) {
      return present;
    }

    @Override
    public void put(Key key, ByteBuffer value) {
      present = Optional.of(value);
    }

    @Override
    public void delete(Key key) {
      present = Optional.empty();
    }
  }
}

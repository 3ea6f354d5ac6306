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
 * Operations on one key, to be carried out one after the other over a value (PROTOCOLS B3), in the
 * very way in which they will be applied.
 */
final class Fold {
  private final Optional<Changes.Known> start;
  private final List<Operation.OnKey> operations;
  private final Changes newest;

  /**
   * @param start the value before the operations, where it is known without the state
   * @param operations in the order of the log; at least one, unless the start is known
   * @param newest the last change of the fold, which is told the outcome
   */
  Fold(Optional<Changes.Known> start, Collection<Operation.OnKey> operations, Changes newest) {
    this.start = start;
    this.operations = List.copyOf(operations);
    this.newest = newest;
  }

  /** Whether what an operation leaves behind does not depend on what was there. */
  static boolean ignoresValue(Operation.OnKey operation) {
    return operation instanceof Operation.Put
        || operation instanceof Operation.Delete
        || operation instanceof Operation.GetAndPut;
  }

  /** Where the last of the operations stands. */
  Position at() {
    return newest.at();
  }

  /** How many operations there are to be carried out. */
  int size() {
    return operations.size();
  }

  /** Whether the outcome depends on the value before. */
  boolean needsValue() {
    return start.isEmpty() && !ignoresValue(operations.get(0));
  }

  /** Whether a value before may be gone afterwards; asked where that depends on the value. */
  boolean mayRemove() {
    return operations.stream()
        .anyMatch(
            operation ->
                operation instanceof Operation.Delete
                    || (operation instanceof Operation.CompareAndSet swap
                        && swap.replacement().isEmpty()));
  }

  /**
   * The value afterwards.
   *
   * @param before exactly what there was before the first operation; not looked at unless {@link
   *     #needsValue}
   */
  Optional<ByteBuffer> over(Optional<ByteBuffer> before, Execution execution) throws IOException {
    OneValue value = new OneValue(start.isPresent() ? start.get().value() : before);
    for (Operation.OnKey operation : operations) {
      execution.execute(operation, value);
    }
    if (operations.size() > 1) {
      newest.remember(value.present);
    }
    return value.present;
  }

  /** The value of the one key there is. */
  private static final class OneValue implements Values {
    private Optional<ByteBuffer> present;

    OneValue(Optional<ByteBuffer> present) {
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

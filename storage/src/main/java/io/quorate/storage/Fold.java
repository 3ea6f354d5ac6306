package io.quorate.storage;

import io.quorate.consensus.Key;
import io.quorate.operation.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Operations on one key, to be carried out one after the other over a value (PROTOCOLS B3), in the
 * very way in which they will be applied.
 *
 * @param operations in the order of the log, at least one
 */
record Fold(List<Operation.OnKey> operations) {
  Fold {
    operations = List.copyOf(operations);
  }

  /** Whether what an operation leaves behind does not depend on what was there. */
  static boolean ignoresValue(Operation.OnKey operation) {
    return operation instanceof Operation.Put
        || operation instanceof Operation.Delete
        || operation instanceof Operation.GetAndPut;
  }

  /** Whether the outcome depends on the value before. */
  boolean needsValue() {
    return !ignoresValue(operations.get(0));
  }

  /**
   * The value afterwards.
   *
   * @param before not looked at unless {@link #needsValue}
   */
  Optional<ByteBuffer> over(Optional<ByteBuffer> before, Execution execution) throws IOException {
    OneValue value = new OneValue(before);
    for (Operation.OnKey operation : operations) {
      execution.execute(operation, value);
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

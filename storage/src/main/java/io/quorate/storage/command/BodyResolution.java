package io.quorate.storage.command;

import io.quorate.consensus.BodyReference;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ValueChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Computes the outcome of an operation whose result was {@link Result.NeedsBody}. */
public final class BodyResolution {
  /** The value that the operation finds is the body itself, and its row is its value. */
  private static final OperationExecutor EXECUTION = new OperationExecutor(RowFormat.PLAIN);

  private BodyResolution() {}

  /**
   * Executes an operation on a body as the state machine executes it on a value in a row. Any
   * thread; takes time in proportion to the size of the body.
   *
   * @param operation an append, get-and-put or compare-and-set, within the range of its region
   * @param reference refers to the body, which is the present value of the key
   * @param body the bytes between position and limit
   * @return the outcome, with any new value in the change itself, whatever its size. An operation
   *     that changes nothing has an outcome too: if its result were not recorded, a copy of the
   *     request that arrives late could take effect after the client has received the result.
   */
  public static Operation.Resolved resolve(
      Operation.OnKey operation, BodyReference reference, ByteBuffer body) {
    SingleValue value = new SingleValue(Optional.of(body));
    Result result;
    try {
      result = EXECUTION.execute(operation, value);
    } catch (IOException e) {
      throw new UncheckedIOException("A value in memory could not be read", e);
    }
    return new Operation.Resolved(
        operation.key(), reference.epoch(), reference.number(), change(value), result.encoded());
  }

  private static ValueChange change(SingleValue value) {
    if (!value.isChanged()) {
      return ValueChange.NONE;
    }
    return value.row().<ValueChange>map(ValueChange.Put::new).orElse(ValueChange.DELETE);
  }
}

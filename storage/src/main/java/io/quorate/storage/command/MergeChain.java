package io.quorate.storage.command;

import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ValueChange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Operations on one key, executed in order on a value exactly as they will be applied (rule B3).
 */
public final class MergeChain {
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
    return switch (operation.kind()) {
      case PUT, PUT_BODY, DELETE, GET_AND_PUT -> true;
      case APPEND, INCREMENT, INCREMENT_AND_GET, COMPARE_AND_SET, RESOLVED -> false;
      case BATCH, EXPIRE_SESSIONS, END_SESSION, DIGEST, SPLIT, FREEZE, UNFREEZE, ABSORB ->
          throw new AssertionError("Not on one key: " + operation);
    };
  }

  /** Position of the last operation. */
  public Position at() {
    return newest.at();
  }

  /** Number of operations to execute. */
  public int size() {
    return operations.size();
  }

  /** Whether the resulting value depends on the value before. */
  public boolean needsValue() {
    return start.isEmpty() && !ignoresValue(operations.get(0));
  }

  /** Whether the chain may remove the key; called only if that depends on the value before. */
  public boolean mayRemove() {
    return operations.stream().anyMatch(MergeChain::mayRemove);
  }

  private static boolean mayRemove(Operation.OnKey operation) {
    return switch (operation.kind()) {
      case DELETE -> true;
      case COMPARE_AND_SET -> ((Operation.CompareAndSet) operation).replacement().isEmpty();
      case RESOLVED -> ((Operation.Resolved) operation).change() instanceof ValueChange.Delete;
      case PUT, PUT_BODY, APPEND, INCREMENT, INCREMENT_AND_GET, GET_AND_PUT -> false;
      case BATCH, EXPIRE_SESSIONS, END_SESSION, DIGEST, SPLIT, FREEZE, UNFREEZE, ABSORB ->
          throw new AssertionError("Not on one key: " + operation);
    };
  }

  /**
   * Executes the chain and returns the resulting value.
   *
   * @param before the value before the first operation; ignored unless {@link #needsValue}
   */
  public Optional<ByteBuffer> applyTo(Optional<ByteBuffer> before, OperationExecutor execution)
      throws IOException {
    SingleValue value = new SingleValue(start.isPresent() ? start.get().value() : before);
    for (Operation.OnKey operation : operations) {
      execution.execute(operation, value);
    }
    if (operations.size() > 1) {
      newest.cacheValue(value.row());
    }
    return value.row();
  }
}

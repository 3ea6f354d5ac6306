package io.quorate.protocol.operation;

import io.quorate.common.DecodeException;
import io.quorate.model.Key;

/**
 * Limits on the size of one operation. They are settings of the node that receives the request and
 * have no effect on commands in the log: the result of applying a command depends on replicated
 * data alone (decision 0021).
 *
 * @param keyBytes the maximum size of a key in bytes
 * @param valueBytes the maximum size of a value in bytes, also after an append that this node
 *     proposes
 * @param batchOperations the maximum number of operations in a batch
 * @param batchBytes the maximum size of an encoded batch in bytes
 */
public record Limits(int keyBytes, int valueBytes, int batchOperations, int batchBytes) {
  /** The upper bound of {@code keyBytes}. The length of a key is encoded in two bytes. */
  public static final int KEY_BYTES_MAX = 8 << 10;

  /** The upper bound of {@code valueBytes}. */
  public static final int VALUE_BYTES_MAX = 64 << 20;

  /**
   * The upper bound of {@code batchOperations}. A decoded operation takes many times the memory of
   * its encoding, so the number is checked before any operation is decoded.
   */
  public static final int BATCH_OPERATIONS_MAX = 100_000;

  public static final Limits DEFAULT = new Limits(KEY_BYTES_MAX, 4 << 20, 10_000, 4 << 20);

  /** An upper bound of the size of an encoded operation within these limits, in bytes. */
  public int operationBytesMax() {
    return 2 * valueBytes + batchBytes + keyBytes + 64;
  }

  /**
   * Checks an operation. The size of a batch may exceed {@code batchBytes} by one byte for each
   * operation that is allowed in a batch.
   *
   * @throws DecodeException if the operation violates a limit
   */
  public void check(Operation operation) {
    if (operation instanceof Operation.OnKey onKey) {
      checkKey(onKey.key());
      checkValue(onKey.largestValueBytes());
    } else if (operation instanceof Operation.Batch batch) {
      check(batch);
    } else if (operation instanceof Operation.Split split) {
      checkKey(split.at());
    } else if (operation.kind() != Operation.Kind.EXPIRE_SESSIONS
        && operation.kind() != Operation.Kind.END_SESSION
        && operation.kind() != Operation.Kind.DIGEST) {
      throw new AssertionError("No limits for " + operation);
    }
  }

  private void check(Operation.Batch batch) {
    if (batch.operations().isEmpty()) {
      throw new DecodeException("A batch has at least 1 operation; this one is empty.");
    }
    if (batch.operations().size() > batchOperations) {
      throw new DecodeException(
          "A batch has at most "
              + batchOperations
              + " operations; this one has "
              + batch.operations().size()
              + ".");
    }
    int size = OperationCodec.size(batch);
    if (size > batchBytes + batchOperations) {
      throw new DecodeException(
          "A batch has at most " + batchBytes + " bytes; this one has " + size + ".");
    }
    batch.operations().forEach(this::check);
  }

  /**
   * The operation as the node must propose it: the value bound of each append is lowered to {@code
   * valueBytes}. Returns the same object if no append exceeds it.
   */
  public Operation bound(Operation operation) {
    return switch (operation.kind()) {
      case APPEND -> bound((Operation.Append) operation);
      case BATCH -> bound((Operation.Batch) operation);
      case PUT,
          PUT_BODY,
          RESOLVED,
          DELETE,
          INCREMENT,
          INCREMENT_AND_GET,
          GET_AND_PUT,
          COMPARE_AND_SET,
          EXPIRE_SESSIONS,
          END_SESSION,
          DIGEST,
          SPLIT,
          FREEZE,
          UNFREEZE,
          ABSORB ->
          operation;
    };
  }

  private Operation bound(Operation.Append append) {
    return exceedsValueLimit(append)
        ? new Operation.Append(append.key(), append.suffix(), valueBytes)
        : append;
  }

  private Operation bound(Operation.Batch batch) {
    return batch.operations().stream().anyMatch(this::exceedsValueLimit)
        ? new Operation.Batch(
            batch.operations().stream().map(part -> (Operation.OnKey) bound(part)).toList())
        : batch;
  }

  private boolean exceedsValueLimit(Operation.OnKey operation) {
    return operation instanceof Operation.Append append && append.valueBytesMax() > valueBytes;
  }

  /**
   * Checks a key.
   *
   * @throws DecodeException if the key is empty or too long
   */
  public void checkKey(Key key) {
    if (key.isEmpty()) {
      throw new DecodeException("A key has at least 1 byte; this one is empty.");
    }
    if (key.size() > keyBytes) {
      throw new DecodeException(
          "A key has at most " + keyBytes + " bytes; this one has " + key.size() + ".");
    }
  }

  private void checkValue(int size) {
    if (size > valueBytes) {
      throw new DecodeException(
          "A value has at most " + valueBytes + " bytes; this one has " + size + ".");
    }
  }
}

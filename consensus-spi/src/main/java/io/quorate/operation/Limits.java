package io.quorate.operation;

import io.quorate.consensus.Key;

/**
 * Bounds on what one operation may carry. A setting of the node that takes the operation in, and of
 * no effect on commands that are in the log: what applying decides depends on the command alone
 * (decision 0021).
 *
 * @param keyBytes longest key
 * @param valueBytes longest value, also after an append that this node proposes
 * @param batchOperations most operations in one batch
 * @param batchBytes longest encoded batch
 */
public record Limits(int keyBytes, int valueBytes, int batchOperations, int batchBytes) {
  /** The most a key can ever be allowed to have: its length is encoded in two bytes. */
  public static final int KEY_BYTES_MOST = 8 << 10;

  /** The most a value can ever be allowed to have. */
  public static final int VALUE_BYTES_MOST = 64 << 20;

  /**
   * The most operations a batch can ever be allowed to have. Decoded, the smallest of them takes
   * many times its encoded length, so their number is bounded before any is decoded.
   */
  public static final int BATCH_OPERATIONS_MOST = 100_000;

  public static final Limits DEFAULT = new Limits(KEY_BYTES_MOST, 4 << 20, 10_000, 4 << 20);

  /** The longest encoded operation that these limits allow. */
  public int operationBytesMost() {
    return 2 * valueBytes + batchBytes + keyBytes + 64;
  }

  /**
   * @throws MalformedException if the operation breaks one of the limits
   */
  public void check(Operation operation) {
    if (operation instanceof Operation.Batch batch) {
      if (batch.operations().size() > batchOperations) {
        throw new MalformedException(
            "A batch has at most "
                + batchOperations
                + " operations; this one has "
                + batch.operations().size()
                + ".");
      }
      int size = OperationCodec.size(batch);
      if (size > batchBytes + batchOperations) {
        throw new MalformedException(
            "A batch has at most " + batchBytes + " bytes; this one has " + size + ".");
      }
      batch.operations().forEach(this::check);
    } else if (operation instanceof Operation.OnKey onKey) {
      checkKey(onKey.key());
      checkValue(onKey.largestValueBytes());
    }
  }

  /**
   * The operation as it is to be proposed: with no append that may make a longer value than these
   * limits allow. The same object if that changes nothing.
   */
  public Operation bound(Operation operation) {
    if (operation instanceof Operation.Batch batch) {
      return batch.operations().stream().anyMatch(this::allowsMore)
          ? new Operation.Batch(batch.operations().stream().map(this::bound).toList())
          : batch;
    }
    return operation instanceof Operation.OnKey onKey ? bound(onKey) : operation;
  }

  private Operation.OnKey bound(Operation.OnKey operation) {
    return operation instanceof Operation.Append append && allowsMore(append)
        ? new Operation.Append(append.key(), append.suffix(), valueBytes)
        : operation;
  }

  private boolean allowsMore(Operation.OnKey operation) {
    return operation instanceof Operation.Append append && append.valueBytesMost() > valueBytes;
  }

  /**
   * @throws MalformedException if no such key can be stored
   */
  public void checkKey(Key key) {
    if (key.isEmpty()) {
      throw new MalformedException("A key has at least 1 byte; this one is empty.");
    }
    if (key.size() > keyBytes) {
      throw new MalformedException(
          "A key has at most " + keyBytes + " bytes; this one has " + key.size() + ".");
    }
  }

  private void checkValue(int size) {
    if (size > valueBytes) {
      throw new MalformedException(
          "A value has at most " + valueBytes + " bytes; this one has " + size + ".");
    }
  }
}

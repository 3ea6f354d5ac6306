package io.quorate.storage.rocks;

import io.quorate.storage.options.StorageFailure;
import java.io.IOException;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** An operation of RocksDB failed. The message is one sentence with the operation and the cause. */
public final class DatabaseException extends IOException {
  private static final long serialVersionUID = 1L;

  private final StorageFailure.Kind kind;

  /**
   * @param attempt the operation, as the beginning of a sentence
   */
  public DatabaseException(String attempt, RocksDBException cause) {
    super(attempt + " failed: " + cause.getMessage() + ".", cause);
    this.kind = kindOf(cause);
  }

  /** The kind of failure, by the status that RocksDB returned. */
  public StorageFailure.Kind kind() {
    return kind;
  }

  private static StorageFailure.Kind kindOf(RocksDBException cause) {
    Status status = cause.getStatus();
    if (status == null) {
      return StorageFailure.Kind.IO;
    }
    if (status.getSubCode() == Status.SubCode.NoSpace) {
      return StorageFailure.Kind.NO_SPACE;
    }
    return status.getCode() == Status.Code.Corruption
        ? StorageFailure.Kind.CORRUPTION
        : StorageFailure.Kind.IO;
  }
}

package io.quorate.storage.rocks;

import io.quorate.common.FileErrors;
import io.quorate.storage.options.StorageFailure;
import java.io.IOException;
import java.nio.file.Path;
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

  private DatabaseException(String message, StorageFailure.Kind kind, RocksDBException cause) {
    super(message, cause);
    this.kind = kind;
  }

  /**
   * The database in a directory cannot be opened. If its files are damaged, the message begins with
   * what to do: RocksDB reports any of them as a damage of another one.
   */
  static DatabaseException ofOpening(Path directory, RocksDBException cause) {
    String attempt = "Opening the database in " + directory;
    DatabaseException failure = new DatabaseException(attempt, cause);
    return failure.kind == StorageFailure.Kind.CORRUPTION
        ? new DatabaseException(
            "Files of the database in "
                + directory
                + " are missing or damaged: "
                + FileErrors.REMEDY
                + ". RocksDB reports: "
                + cause.getMessage(),
            failure.kind,
            cause)
        : failure;
  }

  /**
   * A file of the database is damaged.
   *
   * @param what is damaged in it, a phrase
   */
  static DatabaseException ofDamage(Path file, String what) {
    return new DatabaseException(
        "Verifying " + file + " failed: it is damaged (" + what + ").",
        StorageFailure.Kind.CORRUPTION,
        null);
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

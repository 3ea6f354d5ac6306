package io.quorate.replication.log.segment;

import io.quorate.common.FileErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A record of a log that was durable cannot be read any more, or is missing. The file was not
 * changed.
 */
public final class DamagedRecordException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final long offset;

  /**
   * @param file the damaged file, or the one that is missing
   * @param offset of the record, or of the first byte that is missing
   * @param what a phrase
   */
  public DamagedRecordException(Path file, long offset, String what) {
    super(message(file, offset, what));
    this.file = file;
    this.offset = offset;
  }

  /** The record could not be read. */
  DamagedRecordException(Path file, long offset, IOException cause) {
    super(message(file, offset, "it cannot be read (" + FileErrors.reason(cause) + ")"), cause);
    this.file = file;
    this.offset = offset;
  }

  /** The message of damage at a place. */
  public static String message(Path file, long offset, String what) {
    return String.format(
        Locale.ROOT, "The log file %s is damaged at byte %d: %s", file, offset, what);
  }

  public Path file() {
    return file;
  }

  /** In bytes from the beginning of the file. */
  public long offset() {
    return offset;
  }
}

package io.quorate.replication.log.segment;

import io.quorate.common.DurableFiles;
import io.quorate.common.NumberedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The directory of the segments. Every method but {@link #file} blocks. Thread-safe. */
public final class SegmentDirectory {
  private static final int DIGITS = 8;

  private final Path path;
  private final NumberedFiles segments;
  private final NumberedFiles unfinished;

  /**
   * @param path need not exist
   */
  public SegmentDirectory(Path path) {
    this.path = path.toAbsolutePath();
    this.segments = NumberedFiles.decimal(this.path, DIGITS, ".log");
    this.unfinished = NumberedFiles.decimal(this.path, DIGITS, ".new");
  }

  public Path path() {
    return path;
  }

  /** The file of a segment. */
  public Path file(long number) {
    return segments.file(number);
  }

  /** The name of a segment's file until it is durable. */
  Path unfinished(long number) {
    return unfinished.file(number);
  }

  /** The numbers of the segments, ascending. */
  public List<Long> numbers() throws IOException {
    return Files.exists(path) ? segments.numbers() : List.of();
  }

  /** Deletes segments that were being created when the process ended. */
  public void deleteUnfinished() throws IOException {
    for (long number : unfinished.numbers()) {
      Files.delete(unfinished.file(number));
    }
  }

  /** Deletes a segment durably; a power loss before the call returns may bring it back. */
  public void delete(long number) throws IOException {
    Files.deleteIfExists(file(number));
    DurableFiles.syncDirectory(path);
  }
}

package io.quorate.storage.rocks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * RocksDB's native library cannot be unpacked to the directory for temporary files, or not be
 * loaded from there. The message is one sentence that names the directory and how to choose another
 * one.
 */
public final class NativeLibraryException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What the system reports where files cannot become longer for now. */
  private static final List<String> NO_SPACE =
      List.of("No space left on device", "Disk quota exceeded");

  private final boolean isFull;

  NativeLibraryException(Path directory, String reason, Throwable cause) {
    super(
        "RocksDB's library cannot be loaded from the directory for temporary files, "
            + directory
            + " ("
            + reason
            + "): it must exist, have 32 MiB of free space, and allow to write and to execute files;"
            + " the JVM's flag -Djava.io.tmpdir=DIRECTORY selects another one.",
        cause);
    this.isFull = NO_SPACE.stream().anyMatch(reason::contains);
  }

  /** Whether the directory only lacks space, so that a later attempt may succeed. */
  public boolean isFull() {
    return isFull;
  }
}

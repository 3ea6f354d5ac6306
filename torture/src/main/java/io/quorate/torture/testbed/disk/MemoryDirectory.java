package io.quorate.torture.testbed.disk;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A directory whose files are in memory, if the system has one. */
public final class MemoryDirectory {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** Minimum free space; less would fill up during a measurement. */
  private static final long FREE_BYTES_MIN = 8L << 30;

  private MemoryDirectory() {}

  /**
   * Returns the directory.
   *
   * @throws IOException if there is none
   */
  public static Path get() throws IOException {
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new IOException("No data can be kept in memory here: " + obstacle.get() + ".");
    }
    return SHARED_MEMORY;
  }

  /** The reason why there is no such directory on this system; empty if there is one. */
  public static Optional<String> obstacle() throws IOException {
    if (!Files.isDirectory(SHARED_MEMORY) || !Files.isWritable(SHARED_MEMORY)) {
      return Optional.of("it needs " + SHARED_MEMORY + " to be a directory that can be written");
    }
    FileStore store = Files.getFileStore(SHARED_MEMORY);
    if (!store.type().equals("tmpfs")) {
      return Optional.of(
          "it needs " + SHARED_MEMORY + " to be in memory, and it is " + store.type());
    }
    return store.getUsableSpace() < FREE_BYTES_MIN
        ? Optional.of("it needs " + (FREE_BYTES_MIN >> 30) + " GiB free in " + SHARED_MEMORY)
        : Optional.empty();
  }
}

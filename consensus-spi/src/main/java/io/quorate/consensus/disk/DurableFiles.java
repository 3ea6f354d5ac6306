package io.quorate.consensus.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Files that must survive power loss. Every method blocks.
 *
 * <p>After an {@link IOException} whatever was asked for may have been done in part, and may be on
 * disk or not.
 */
public final class DurableFiles {
  private static final int READ_BYTES = 1 << 20;

  private DurableFiles() {}

  /** Writes a new file and syncs it; its directory is the caller's to sync. */
  public static void write(Path file, ByteBuffer bytes) throws IOException {
    write(file, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /**
   * Makes or replaces a file, all of it or nothing: at any time, and after a loss of power, there
   * is the content before or the one given.
   *
   * @param draft where the content is prepared, in the same directory; what stands there is lost
   */
  public static void replace(Path file, Path draft, ByteBuffer bytes) throws IOException {
    write(
        draft,
        bytes,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    syncDirectory(file.toAbsolutePath().getParent());
  }

  private static void write(Path file, ByteBuffer bytes, StandardOpenOption... how)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file, how)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** Makes durable what was written to a file. */
  public static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Makes the names in a directory durable. */
  public static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** The checksum of a file's whole content. */
  public static int checksum(Path file) throws IOException {
    CRC32C checksum = new CRC32C();
    ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (channel.read(buffer) >= 0) {
        checksum.update(buffer.flip());
        buffer.clear();
      }
    }
    return (int) checksum.getValue();
  }

  /** Removes a directory and all in it; no error if there is none. */
  public static void deleteTree(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> paths;
    try (Stream<Path> tree = Files.walk(directory)) {
      paths = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : paths) {
      Files.deleteIfExists(path);
    }
  }
}

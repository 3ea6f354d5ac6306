package io.quorate.common;

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
 * Operations on files that must survive power loss. Every method blocks on I/O.
 *
 * <p>After an {@link IOException} the operation may be complete, partial or not begun, and its
 * effects may be durable or not.
 */
public final class DurableFiles {
  private static final int READ_BUFFER_BYTES = 1 << 20;

  private DurableFiles() {}

  /**
   * Creates a file, writes it and syncs it. The caller must sync its directory.
   *
   * @param bytes the content, from position to limit; consumed by the call
   * @throws java.nio.file.FileAlreadyExistsException if the file exists
   */
  public static void write(Path file, ByteBuffer bytes) throws IOException {
    write(file, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /**
   * Creates or replaces a file atomically: at any time, and after power loss, it has either the old
   * content or the new. The file and its directory are synced when the call returns.
   *
   * @param draft a temporary file in the same directory, which is overwritten and then renamed
   * @param bytes the content, from position to limit; consumed by the call
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

  private static void write(Path file, ByteBuffer bytes, StandardOpenOption... options)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file, options)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** Syncs the content of a file. */
  public static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Syncs the entries of a directory, so that created and renamed files survive power loss. */
  public static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** The CRC32C checksum of the whole content of a file. */
  public static int checksum(Path file) throws IOException {
    CRC32C checksum = new CRC32C();
    ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BUFFER_BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (channel.read(buffer) >= 0) {
        checksum.update(buffer.flip());
        buffer.clear();
      }
    }
    return (int) checksum.getValue();
  }

  /**
   * Deletes a directory with its content, durably, so that after a crash it has all of its content
   * or does not exist: it is renamed first. Deletes what is left of an interrupted call, too.
   *
   * @param renamed its name meanwhile, in the same parent directory
   */
  public static void deleteAtomically(Path directory, Path renamed) throws IOException {
    deleteTree(renamed);
    if (Files.exists(directory)) {
      Files.move(directory, renamed, StandardCopyOption.ATOMIC_MOVE);
      syncDirectory(directory.toAbsolutePath().getParent());
      deleteTree(renamed);
    }
  }

  /** Deletes a directory with its content. Has no effect if the directory does not exist. */
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

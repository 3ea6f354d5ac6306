package io.quorate.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Files that must survive power loss. Every method blocks. */
final class DurableFiles {
  private static final int READ_BYTES = 1 << 20;

  private DurableFiles() {}

  /** Writes a new file and syncs it; its directory is the caller's to sync. */
  static void write(Path file, ByteBuffer bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Makes the names in a directory durable. */
  static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** The checksum of a file's whole content. */
  static int checksum(Path file) throws IOException {
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
  static void deleteTree(Path directory) throws IOException {
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

package io.quorate.storage.rocks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * Loads RocksDB's native library, which the jar unpacks to a file. By default RocksDB deletes that
 * file only on an orderly exit, so each killed process would leave a file of 17 MB.
 */
final class NativeLibrary {
  private NativeLibrary() {}

  /** Leaves no file behind where the operating system allows deleting a loaded library. Blocks. */
  static void load() {
    try {
      Path directory = Files.createTempDirectory("quorate-rocksdb");
      try {
        NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
      } finally {
        delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("RocksDB's native library cannot be unpacked", e);
    }
    RocksDB.loadLibrary();
  }

  /**
   * Deletes immediately, or at exit where the operating system forbids deleting a loaded library.
   */
  private static void delete(Path directory) throws IOException {
    // Registered first: files are deleted at exit in reverse order.
    directory.toFile().deleteOnExit();
    try (Stream<Path> files = Files.list(directory)) {
      files.map(Path::toFile).filter(file -> !file.delete()).forEach(File::deleteOnExit);
    }
    directory.toFile().delete();
  }
}

package io.quorate.storage;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * Loads RocksDB's native library, which its jar unpacks to a file. Left to itself, RocksDB deletes
 * that file when the process ends in good order; each process that is killed leaves one of 17 MB.
 */
final class NativeLibrary {
  private NativeLibrary() {}

  /** Leaves no file behind where the system lets a loaded library be deleted. Blocks. */
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

  /** Now, or where the system does not allow that while the library is loaded, at the end. */
  private static void delete(Path directory) throws IOException {
    // Deleted at the end in the reverse order.
    directory.toFile().deleteOnExit();
    try (Stream<Path> files = Files.list(directory)) {
      files.map(Path::toFile).filter(file -> !file.delete()).forEach(File::deleteOnExit);
    }
    directory.toFile().delete();
  }
}

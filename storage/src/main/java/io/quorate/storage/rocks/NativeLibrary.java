package io.quorate.storage.rocks;

import io.quorate.common.FileErrors;
import java.io.File;
import java.io.IOException;
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
  private static boolean isLoaded;

  private NativeLibrary() {}

  /**
   * Loads the library unless it is loaded. Leaves no file behind where the operating system allows
   * deleting a loaded library. Blocks.
   *
   * @throws NativeLibraryException if the directory for temporary files does not allow it; a later
   *     call tries again
   */
  static synchronized void load() throws NativeLibraryException {
    if (isLoaded) {
      return;
    }
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      Path directory = Files.createTempDirectory(parent, "quorate-rocksdb");
      try {
        NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
      } finally {
        delete(directory);
      }
    } catch (IOException e) {
      throw new NativeLibraryException(parent, FileErrors.describe(e), e);
    } catch (UnsatisfiedLinkError e) {
      // The file system may not allow execution; the message says so after the name of the file.
      throw new NativeLibraryException(parent, String.valueOf(e.getMessage()), e);
    }
    RocksDB.loadLibrary();
    isLoaded = true;
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

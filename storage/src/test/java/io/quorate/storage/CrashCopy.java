package io.quorate.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.RocksDBException;

/** What a crash would leave on the disk now: the files of an open storage, without its memory. */
final class CrashCopy {
  private CrashCopy() {}

  static Path take(Storage storage, Path directory, Path to) throws IOException {
    try {
      // Keeps what the first files name alive until the last are copied.
      storage.database().rocks().disableFileDeletions();
      try {
        Path manifest = Path.of(Files.readString(directory.resolve("db/CURRENT")).strip());
        copy(directory, Path.of("db/CURRENT"), to);
        copy(directory, Path.of("db").resolve(manifest), to);
        List<Path> files;
        try (Stream<Path> tree = Files.walk(directory)) {
          files = tree.filter(Files::isRegularFile).map(directory::relativize).toList();
        }
        for (Path file : files) {
          if (!Files.exists(to.resolve(file))) {
            copyUnlessGone(directory, file, to);
          }
        }
      } finally {
        storage.database().rocks().enableFileDeletions();
      }
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
    return to;
  }

  /** A file that a compaction had replaced before is not missed by the manifest copied after. */
  private static void copyUnlessGone(Path from, Path file, Path to) throws IOException {
    try {
      copy(from, file, to);
    } catch (NoSuchFileException e) {
      Files.deleteIfExists(to.resolve(file));
    }
  }

  static Path copyTree(Path from, Path to) throws IOException {
    try (Stream<Path> tree = Files.walk(from)) {
      tree.filter(Files::isRegularFile)
          .forEach(
              file -> {
                try {
                  copy(from, from.relativize(file), to);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
    return to;
  }

  private static void copy(Path from, Path file, Path to) throws IOException {
    Files.createDirectories(to.resolve(file).getParent());
    Files.copy(from.resolve(file), to.resolve(file), StandardCopyOption.REPLACE_EXISTING);
  }
}

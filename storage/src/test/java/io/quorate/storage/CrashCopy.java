package io.quorate.storage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Copies what a crash would leave on the disk now: the files of an open storage, without its
 * memory.
 */
public final class CrashCopy {
  private CrashCopy() {}

  public static Path take(Storage storage, Path directory, Path to) throws IOException {
    Path database = Path.of("db");
    RocksDB rocks = storage.database().rocks();
    try {
      rocks.disableFileDeletions();
      try {
        RocksDB.LiveFiles live = rocks.getLiveFiles(false);
        for (String name : live.files) {
          copyLive(directory.resolve(database), name.substring(1), live, to.resolve(database));
        }
        copyOthers(directory, database, to);
      } finally {
        rocks.enableFileDeletions();
      }
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
    try (Stream<Path> others = Files.list(directory)) {
      for (Path other : others.filter(path -> !path.endsWith(database)).toList()) {
        copyTree(other, to.resolve(other.getFileName()));
      }
    }
    return to;
  }

  /**
   * Copies a file that the database lists; of the manifest, only the part that belongs to the other
   * files.
   */
  private static void copyLive(Path from, String name, RocksDB.LiveFiles live, Path to)
      throws IOException {
    Files.createDirectories(to);
    if (name.startsWith("MANIFEST-")) {
      try (InputStream in = Files.newInputStream(from.resolve(name))) {
        Files.write(to.resolve(name), in.readNBytes(Math.toIntExact(live.manifestFileSize)));
      }
      Files.writeString(to.resolve("CURRENT"), name + "\n");
    } else if (!name.equals("CURRENT")) {
      Files.copy(from.resolve(name), to.resolve(name));
    }
  }

  /**
   * Copies the database's log, and files that it does not list. The latter may be renamed or
   * deleted now.
   */
  private static void copyOthers(Path from, Path database, Path to) throws IOException {
    for (String name : from.resolve(database).toFile().list()) {
      if (!Files.exists(to.resolve(database).resolve(name))) {
        try {
          copy(from, database.resolve(name), to);
        } catch (NoSuchFileException e) {
          Files.deleteIfExists(to.resolve(database).resolve(name));
        }
      }
    }
  }

  public static Path copyTree(Path from, Path to) throws IOException {
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

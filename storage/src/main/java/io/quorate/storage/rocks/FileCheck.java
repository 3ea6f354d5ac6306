package io.quorate.storage.rocks;

import io.quorate.storage.options.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;

/**
 * Verifies the checksums of the files of an open database, one file at a time: of every block of a
 * table and every record of a blob file. Reads the device and neither a cache of the database nor
 * the page cache, where the file system can do that. One thread; blocks. While the database is
 * closed, no call may be running.
 */
public final class FileCheck {
  private static final String TABLE = ".sst";
  private static final String BLOBS = ".blob";

  private final Database database;
  private final Path directory;

  /** Whether reads bypass the page cache; until it turns out that they cannot. */
  private boolean isDirect = true;

  public FileCheck(Database database) {
    this.database = database;
    this.directory = Path.of(database.rocks().getName());
  }

  /** The present tables and blob files, of all column families. */
  public List<Path> files() throws DatabaseException {
    try {
      return database.rocks().getLiveFiles(false).files.stream()
          .filter(name -> name.endsWith(TABLE) || name.endsWith(BLOBS))
          .map(name -> directory.resolve(name.substring(1)))
          .sorted()
          .toList();
    } catch (RocksDBException e) {
      throw new DatabaseException("Listing the files of the database", e);
    }
  }

  /**
   * Verifies a file.
   *
   * @return its size in bytes; empty if it is no file of the database any more
   * @throws DatabaseException if it is damaged or missing, with {@link
   *     StorageFailure.Kind#CORRUPTION}
   * @throws IOException if it cannot be read for another reason
   */
  public Optional<Long> verify(Path file) throws IOException {
    try {
      long bytes = Files.size(file);
      if (file.toString().endsWith(TABLE)) {
        verifyTable(file);
      } else {
        verifyBlobs(file);
      }
      return Optional.of(bytes);
    } catch (IOException e) {
      // A compaction may have removed it.
      if (!files().contains(file)) {
        return Optional.empty();
      }
      throw Files.notExists(file) ? DatabaseException.ofDamage(file, "it is missing") : e;
    }
  }

  private void verifyTable(Path file) throws DatabaseException {
    try {
      verifyTable(file, isDirect);
    } catch (RocksDBException e) {
      DatabaseException failure = new DatabaseException("Verifying " + file, e);
      if (!isDirect || failure.kind() == StorageFailure.Kind.CORRUPTION) {
        throw failure;
      }
      verifyBuffered(file);
      isDirect = false;
    }
  }

  private void verifyBuffered(Path file) throws DatabaseException {
    try {
      verifyTable(file, false);
    } catch (RocksDBException e) {
      throw new DatabaseException("Verifying " + file, e);
    }
  }

  private void verifyTable(Path file, boolean direct) throws RocksDBException {
    try (NativeScope owner = database.child("verification")) {
      Options options =
          owner
              .own(new Options())
              .setUseDirectReads(direct)
              .setTableFormatConfig(new BlockBasedTableConfig().setNoBlockCache(true));
      SstFileReader reader = owner.own(new SstFileReader(options));
      reader.open(file.toString());
      reader.verifyChecksum();
    }
  }

  private static void verifyBlobs(Path file) throws IOException {
    Optional<String> damage = BlobFileCheck.damage(file);
    if (damage.isPresent()) {
      throw DatabaseException.ofDamage(file, damage.get());
    }
  }
}

package io.quorate.storage;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The database of a node that is damaged and is set aside, with all of its rows and sessions, at
 * the next start: RocksDB cannot do without one table among all of its levels. The request is a
 * file in the directory of the database, so that one rename both sets the database aside and
 * settles the request. Every method blocks; one thread at a time.
 */
public final class DamagedDatabase {
  private static final String REASON = "set-aside";

  private final Path database;
  private final Path setAside;
  private final Path removed;

  /** Remains, with the reason, for the time when a database was last set aside. */
  private final Path last;

  /**
   * @param storage the directory of {@link Storage}
   */
  public DamagedDatabase(Path storage) {
    this.database = storage.resolve(Storage.DATABASE);
    this.setAside = storage.resolve(Storage.DATABASE + ".set-aside");
    this.removed = storage.resolve(Storage.DATABASE + ".removed");
    this.last = storage.resolve(Storage.DATABASE + ".last-set-aside");
  }

  /** Requests durably, of an open database, that the next start sets it aside. */
  public void request(String reason) throws IOException {
    DurableFiles.replace(
        database.resolve(REASON),
        database.resolve(REASON + ".draft"),
        ByteBuffer.wrap(reason.getBytes(StandardCharsets.UTF_8)));
  }

  /** Why the database is to be set aside; empty if that is not requested. */
  public Optional<String> requested() throws IOException {
    return reason(database);
  }

  /**
   * Sets the database aside as requested, durably, so that {@link Storage#open} begins an empty
   * one. Removes one that was set aside before. Nothing of the database may be open.
   */
  public void setAside() throws IOException {
    remove();
    DurableFiles.replace(
        last,
        last.resolveSibling(last.getFileName() + ".draft"),
        ByteBuffer.wrap(requested().orElse("").getBytes(StandardCharsets.UTF_8)));
    Files.move(database, setAside, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(database.getParent());
  }

  /** Why a database was set aside that is not removed yet; empty if there is none. */
  public Optional<String> reason() throws IOException {
    return reason(setAside);
  }

  private static Optional<String> reason(Path directory) throws IOException {
    Path file = directory.resolve(REASON);
    return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
  }

  /** When a database was last set aside; empty if none ever was. */
  public Optional<Instant> lastSetAside() throws IOException {
    return Files.exists(last)
        ? Optional.of(Files.getLastModifiedTime(last).toInstant())
        : Optional.empty();
  }

  /** The bytes of the database that was set aside; 0 if there is none. */
  public long bytes() throws IOException {
    if (!Files.exists(setAside)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(setAside)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Removes the database that was set aside, and what is left of an interrupted removal. */
  public void remove() throws IOException {
    DurableFiles.deleteAtomically(setAside, removed);
  }
}

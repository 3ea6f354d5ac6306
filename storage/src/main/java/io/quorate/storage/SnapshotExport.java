package io.quorate.storage;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.consensus.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;
import org.rocksdb.SstFileWriter;

/**
 * Writes the state of one region as table files, as of one position. Blocks; the region goes on
 * being applied and read meanwhile.
 */
final class SnapshotExport {
  /** Size at which the next file is begun. */
  private static final long TABLE_BYTES = 64 << 20;

  private final StorageParts parts;
  private final GroupId region;
  private final KeyRange range;
  private final Family family;

  SnapshotExport(StorageParts parts, GroupId region, KeyRange range, Family family) {
    this.parts = parts;
    this.region = region;
    this.range = range;
    this.family = family;
  }

  /**
   * @param directory exists and is empty
   * @return the position that the files stand for
   */
  Position export(Path directory) throws IOException {
    try (NativeScope scope = parts.database().child("snapshot export")) {
      Snapshot cut = parts.database().snapshot(scope);
      // Position, rows and sessions are written together, so that one cut has all three.
      Position position = parts.meta().applied(region, parts.database().readOptions(scope, cut));
      List<SnapshotManifest.Table> tables = new ArrayList<>();
      try (Tables rows = new Tables(directory, SnapshotManifest.Content.ROWS, "rows")) {
        rows.copy(family, range.start().bytes(), range.end().map(Key::bytes), cut);
        tables.addAll(rows.finished);
      }
      try (Tables sessions = new Tables(directory, SnapshotManifest.Content.SESSIONS, "sessions")) {
        sessions.copy(
            Family.SESSIONS,
            SessionRows.regionStart(region),
            Optional.of(SessionRows.regionEnd(region)),
            cut);
        tables.addAll(sessions.finished);
      }
      StoragePoints.EXPORT_TABLES.reached(region);
      new SnapshotManifest(region, position, range, tables).write(directory);
      DurableFiles.syncDirectory(directory);
      StoragePoints.EXPORT_COMPLETE.reached(region);
      return position;
    }
  }

  /** Table files with one content, one after the other. No rows, no file. */
  private final class Tables implements AutoCloseable {
    private final Path directory;
    private final SnapshotManifest.Content content;
    private final String prefix;
    private final List<SnapshotManifest.Table> finished = new ArrayList<>();
    private final NativeScope scope = parts.database().child("exported tables");

    Tables(Path directory, SnapshotManifest.Content content, String prefix) {
      this.directory = directory;
      this.content = content;
      this.prefix = prefix;
    }

    void copy(Family from, byte[] start, Optional<byte[]> end, Snapshot cut) throws IOException {
      Database.Cursor cursor = parts.database().copyCursor(scope, from, start, end, cut);
      while (cursor.isAtRow()) {
        writeTable(cursor);
      }
    }

    private void writeTable(Database.Cursor cursor) throws IOException {
      String name = String.format("%s-%06d.sst", prefix, finished.size() + 1);
      Path file = directory.resolve(name);
      try (NativeScope table = scope.child(name)) {
        SstFileWriter writer = parts.database().tableWriter(table, file);
        do {
          writer.put(cursor.key(), cursor.value());
          cursor.next();
        } while (cursor.isAtRow() && writer.fileSize() < TABLE_BYTES);
        writer.finish();
      } catch (RocksDBException e) {
        throw new DatabaseException("Writing " + file, e);
      }
      DurableFiles.sync(file);
      finished.add(
          new SnapshotManifest.Table(content, name, Files.size(file), DurableFiles.checksum(file)));
    }

    @Override
    public void close() {
      scope.close();
    }
  }
}

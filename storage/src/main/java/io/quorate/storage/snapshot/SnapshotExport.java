package io.quorate.storage.snapshot;

import io.quorate.common.DurableFiles;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseException;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.MetaRows;
import io.quorate.storage.rocks.NativeScope;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;
import org.rocksdb.SstFileWriter;

/**
 * Writes the state of one region at one position as table files. Blocks; the region continues to be
 * applied and read meanwhile.
 */
public final class SnapshotExport {
  /** Size at which a new file is started. */
  private static final long TABLE_BYTES = 64 << 20;

  private final StorageContext context;
  private final GroupId region;
  private final Family family;

  public SnapshotExport(StorageContext context, GroupId region, Keyspace keyspace) {
    this.context = context;
    this.region = region;
    this.family = Family.of(keyspace);
  }

  /**
   * @param directory an existing empty directory
   * @return the position of the exported state
   * @throws IOException if the files cannot be written, or there is no state
   */
  public Position export(Path directory) throws IOException {
    try (NativeScope scope = context.database().child("snapshot export")) {
      Snapshot snapshot = context.database().snapshot(scope);
      // Position, shape, rows and sessions are written atomically, so one snapshot has all of them.
      ReadOptions view = context.database().readOptions(scope, snapshot);
      Position position = context.meta().applied(region, view);
      RegionShape shape =
          context
              .meta()
              .base(region, view)
              .map(MetaRows.Base::shape)
              .orElseThrow(() -> new IOException("Region " + region + " has no state yet."));
      KeyRange range = shape.range();
      List<SnapshotManifest.Table> tables = new ArrayList<>();
      try (Tables rows = new Tables(directory, SnapshotManifest.Content.ROWS, "rows")) {
        rows.copy(family, range.start().bytes(), range.end().map(Key::bytes), snapshot);
        tables.addAll(rows.finished);
      }
      try (Tables sessions = new Tables(directory, SnapshotManifest.Content.SESSIONS, "sessions")) {
        sessions.copy(
            Family.SESSIONS,
            SessionRows.regionStart(region),
            Optional.of(SessionRows.regionEnd(region)),
            snapshot);
        tables.addAll(sessions.finished);
      }
      StoragePoints.EXPORT_TABLES.reached(region);
      new SnapshotManifest(region, position, shape, tables).write(directory);
      DurableFiles.syncDirectory(directory);
      StoragePoints.EXPORT_COMPLETE.reached(region);
      return position;
    }
  }

  /** Consecutive table files with one content; none if there are no rows. */
  private final class Tables implements AutoCloseable {
    private final Path directory;
    private final SnapshotManifest.Content content;
    private final String prefix;
    private final List<SnapshotManifest.Table> finished = new ArrayList<>();
    private final NativeScope scope = context.database().child("exported tables");

    Tables(Path directory, SnapshotManifest.Content content, String prefix) {
      this.directory = directory;
      this.content = content;
      this.prefix = prefix;
    }

    void copy(Family from, byte[] start, Optional<byte[]> end, Snapshot snapshot)
        throws IOException {
      Database.Cursor cursor =
          context.database().copyCursor(scope, from, start, end, Optional.of(snapshot));
      while (cursor.isAtRow()) {
        writeTable(cursor);
      }
    }

    private void writeTable(Database.Cursor cursor) throws IOException {
      String name = String.format(Locale.ROOT, "%s-%06d.sst", prefix, finished.size() + 1);
      Path file = directory.resolve(name);
      try (NativeScope table = scope.child(name)) {
        SstFileWriter writer = context.database().tableWriter(table, file);
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

package io.quorate.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.SstFileWriter;
import org.rocksdb.Status;
import org.rocksdb.WriteOptions;

/**
 * RocksDB as this module uses it: five column families, one cut. Any thread, but nobody may be in a
 * call, or hold anything it returned open, while it is closed.
 */
final class Database implements AutoCloseable {
  /** Best first; the last is in every build of the library. */
  private static final List<CompressionType> COMPRESSIONS =
      List.of(
          CompressionType.LZ4_COMPRESSION,
          CompressionType.SNAPPY_COMPRESSION,
          CompressionType.NO_COMPRESSION);

  /** A row that means nothing, see {@link #flush}. */
  private static final byte[] PROBE_KEY = {'w'};

  private static final byte[] PROBE_VALUE = {};

  static {
    NativeLibrary.load();
  }

  private final NativeScope scope;
  private final DatabaseSettings settings;
  private final RocksDB rocks;
  private final Map<Family, ColumnFamilyHandle> handles;
  private final List<ColumnFamilyHandle> allHandles;
  private final ReadOptions reads;
  private final WriteOptions writes;
  private final FlushOptions flushes;

  private Database(
      NativeScope scope,
      DatabaseSettings settings,
      RocksDB rocks,
      List<ColumnFamilyHandle> allHandles,
      boolean wal) {
    this.scope = scope;
    this.settings = settings;
    this.rocks = rocks;
    this.allHandles = allHandles;
    this.handles = new EnumMap<>(Family.class);
    for (Family family : Family.values()) {
      handles.put(family, allHandles.get(1 + family.ordinal()));
    }
    this.reads = scope.own(new ReadOptions()).setVerifyChecksums(true);
    this.writes = scope.own(new WriteOptions()).setDisableWAL(!wal);
    this.flushes = scope.own(new FlushOptions()).setWaitForFlush(true);
  }

  /**
   * Opens or creates the database in a directory.
   *
   * @throws IOException if its files cannot be read or are in use; nothing is left open
   */
  static Database open(Path directory, StorageOptions options) throws IOException {
    Files.createDirectories(directory);
    for (CompressionType compression : COMPRESSIONS) {
      try {
        return open(directory, options, compression);
      } catch (RocksDBException e) {
        boolean isLast = compression == CompressionType.NO_COMPRESSION;
        if (isLast || !isUnsupportedCompression(e)) {
          throw new DatabaseException("Opening the database in " + directory, e);
        }
      }
    }
    throw new IllegalStateException("There is always one compression left to try.");
  }

  private static boolean isUnsupportedCompression(RocksDBException e) {
    return e.getStatus() != null
        && e.getStatus().getCode() == Status.Code.InvalidArgument
        && e.getMessage().contains("ompression");
  }

  private static Database open(Path directory, StorageOptions options, CompressionType compression)
      throws RocksDBException {
    NativeScope scope = new NativeScope("the database in " + directory);
    try {
      DatabaseSettings settings = new DatabaseSettings(scope, options, compression);
      DBOptions database = settings.database();
      ColumnFamilyOptions family = settings.family();
      List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
      descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
      for (Family each : Family.values()) {
        descriptors.add(new ColumnFamilyDescriptor(each.nameBytes(), family));
      }
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      RocksDB rocks = scope.own(RocksDB.open(database, directory.toString(), descriptors, handles));
      handles.forEach(scope::own);
      return new Database(scope, settings, rocks, List.copyOf(handles), options.wal());
    } catch (RocksDBException | RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  ColumnFamilyHandle handle(Family family) {
    return handles.get(family);
  }

  Optional<byte[]> get(Family family, byte[] key) throws DatabaseException {
    return get(family, key, reads);
  }

  Optional<byte[]> get(Family family, byte[] key, ReadOptions as) throws DatabaseException {
    try {
      return Optional.ofNullable(rocks.get(handle(family), as, key));
    } catch (RocksDBException e) {
      throw new DatabaseException("Reading a row", e);
    }
  }

  /**
   * Rows of a range, as of a snapshot, positioned at the first; for reading a snapshot once, from
   * end to end, which should not push out what is read often.
   *
   * @param owner frees the cursor
   * @param to exclusive; empty for all that follow
   */
  Cursor copyCursor(NativeScope owner, Family family, byte[] from, Optional<byte[]> to, Snapshot as)
      throws DatabaseException {
    return cursor(owner, family, from, to, readOptions(owner, as).setFillCache(false));
  }

  /**
   * Rows of a range, positioned at the first.
   *
   * @param owner frees the cursor
   * @param to exclusive; empty for all that follow
   * @param as of which snapshot; empty for this moment
   */
  Cursor cursor(
      NativeScope owner, Family family, byte[] from, Optional<byte[]> to, Optional<Snapshot> as)
      throws DatabaseException {
    ReadOptions options = owner.own(new ReadOptions()).setVerifyChecksums(true);
    return cursor(owner, family, from, to, as.map(options::setSnapshot).orElse(options));
  }

  private Cursor cursor(
      NativeScope owner, Family family, byte[] from, Optional<byte[]> to, ReadOptions options)
      throws DatabaseException {
    options.setIterateLowerBound(owner.own(new Slice(from)));
    if (to.isPresent()) {
      options.setIterateUpperBound(owner.own(new Slice(to.get())));
    }
    RocksIterator iterator = owner.own(rocks.newIterator(handle(family), options));
    return new Cursor(iterator);
  }

  /** The last row of a range, if there is one. */
  Optional<byte[]> lastKey(Family family, byte[] from) throws DatabaseException {
    try (NativeScope owner = child("last key")) {
      return cursor(owner, family, from, Optional.empty(), Optional.empty()).lastKey();
    }
  }

  /** A view of everything as of now, until the owner is closed. */
  Snapshot snapshot(NativeScope owner) {
    return owner.own(
        rocks.getSnapshot(),
        snapshot -> {
          rocks.releaseSnapshot(snapshot);
          snapshot.close();
        });
  }

  /** Options that read from a snapshot. */
  ReadOptions readOptions(NativeScope owner, Snapshot snapshot) {
    return owner.own(new ReadOptions()).setVerifyChecksums(true).setSnapshot(snapshot);
  }

  DatabaseBatch batch(DatabaseBatch.Scratch scratch) {
    return new DatabaseBatch(child("write batch"), this, scratch);
  }

  /** Writes a batch. Blocks while RocksDB holds writes back. On failure nothing is changed. */
  void write(DatabaseBatch batch) throws DatabaseException {
    try {
      rocks.write(writes, batch.nativeBatch());
    } catch (RocksDBException e) {
      throw new DatabaseException("Writing to the database", e);
    }
  }

  /**
   * Makes everything written before durable, in one cut. Blocks until it is.
   *
   * <p>After a full disk RocksDB goes on by itself once there is space, but it first waits for its
   * background work to end, which a flush queued meanwhile never does: it comes back for ever. So
   * none is queued before a write shows that RocksDB accepts any, and if it does not, background
   * work is paused for a moment, which lets a recovery that waits for it begin.
   */
  void flush() throws DatabaseException {
    try {
      rocks.put(handle(Family.META), writes, PROBE_KEY, PROBE_VALUE);
    } catch (RocksDBException e) {
      letRecoveryBegin();
      throw new DatabaseException("Flushing the database", e);
    }
    try {
      rocks.flush(flushes, allHandles);
    } catch (RocksDBException e) {
      throw new DatabaseException("Flushing the database", e);
    }
  }

  private void letRecoveryBegin() throws DatabaseException {
    try {
      rocks.pauseBackgroundWork();
      rocks.continueBackgroundWork();
    } catch (RocksDBException e) {
      throw new DatabaseException("Pausing background work", e);
    }
  }

  /** Writes a table file to be ingested elsewhere. Close it by its owner. */
  SstFileWriter tableWriter(NativeScope owner, Path file) throws DatabaseException {
    EnvOptions environment = owner.own(new EnvOptions());
    Options options = settings.tableFile(owner);
    SstFileWriter writer = owner.own(new SstFileWriter(environment, options));
    try {
      writer.open(file.toString());
    } catch (RocksDBException e) {
      throw new DatabaseException("Creating " + file, e);
    }
    return writer;
  }

  /** Takes over the rows of table files, durably. The files are copied and stay as they are. */
  void ingest(Family family, List<Path> files) throws DatabaseException {
    try (NativeScope owner = child("ingestion")) {
      IngestExternalFileOptions options =
          owner.own(new IngestExternalFileOptions()).setMoveFiles(false).setWriteGlobalSeqno(false);
      rocks.ingestExternalFile(
          handle(family), files.stream().map(Path::toString).toList(), options);
    } catch (RocksDBException e) {
      throw new DatabaseException("Taking over the files of a snapshot", e);
    }
  }

  /** A numeric property of all column families together. */
  long property(String name) throws DatabaseException {
    try {
      return rocks.getAggregatedLongProperty(name);
    } catch (RocksDBException e) {
      throw new DatabaseException("Reading the property " + name, e);
    }
  }

  Cache cache() {
    return settings.cache();
  }

  /** A scope that must be closed before the database. */
  NativeScope child(String name) {
    return scope.child(name);
  }

  /** The database itself, for tests that look behind this class. */
  RocksDB rocks() {
    return rocks;
  }

  /**
   * Closes it without a flush of its own.
   *
   * @throws IllegalStateException if something opened from it is still open; it stays open then
   */
  @Override
  public void close() {
    scope.close();
  }

  /** Steps through rows in key order. One thread; freed with its owner. */
  static final class Cursor {
    private final RocksIterator iterator;

    private Cursor(RocksIterator iterator) throws DatabaseException {
      this.iterator = iterator;
      iterator.seekToFirst();
      check();
    }

    boolean isAtRow() {
      return iterator.isValid();
    }

    byte[] key() {
      return iterator.key();
    }

    byte[] value() {
      return iterator.value();
    }

    void next() throws DatabaseException {
      iterator.next();
      check();
    }

    private Optional<byte[]> lastKey() throws DatabaseException {
      iterator.seekToLast();
      check();
      return iterator.isValid() ? Optional.of(iterator.key()) : Optional.empty();
    }

    /** An iterator that ended because of an error looks like one at its end. */
    private void check() throws DatabaseException {
      if (!iterator.isValid()) {
        try {
          iterator.status();
        } catch (RocksDBException e) {
          throw new DatabaseException("Reading rows", e);
        }
      }
    }
  }
}

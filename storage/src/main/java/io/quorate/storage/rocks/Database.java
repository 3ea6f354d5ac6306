package io.quorate.storage.rocks;

import io.quorate.model.Key;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Holder;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.Range;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.SstFileWriter;
import org.rocksdb.Status;
import org.rocksdb.WriteOptions;

/**
 * RocksDB as used by this module: five column families that are flushed atomically. Any thread;
 * while it is closed, no call may be running and no returned object may be open.
 */
public final class Database implements AutoCloseable {
  /** In order of preference; every build of the library supports the last. */
  private static final List<CompressionType> COMPRESSIONS =
      List.of(
          CompressionType.LZ4_COMPRESSION,
          CompressionType.SNAPPY_COMPRESSION,
          CompressionType.NO_COMPRESSION);

  /** A row without meaning that tests whether RocksDB accepts writes, see {@link #flush}. */
  private static final byte[] PROBE_KEY = {'w'};

  private static final byte[] PROBE_VALUE = {};

  private final NativeScope scope;
  private final DatabaseSettings settings;
  private final RocksDB rocks;
  private final Map<Family, ColumnFamilyHandle> handles;
  private final List<ColumnFamilyHandle> allHandles;
  private final ReadOptions reads;
  private final WriteOptions writes;
  private final FlushOptions flushes;
  private final BlobGarbage blobGarbage;

  private Database(
      NativeScope scope,
      DatabaseSettings settings,
      RocksDB rocks,
      List<ColumnFamilyHandle> allHandles,
      StorageOptions.Wal wal) {
    this.scope = scope;
    this.settings = settings;
    this.rocks = rocks;
    this.allHandles = allHandles;
    this.handles = new EnumMap<>(Family.class);
    for (Family family : Family.values()) {
      handles.put(family, allHandles.get(1 + family.ordinal()));
    }
    this.reads = scope.own(new ReadOptions()).setVerifyChecksums(true);
    this.writes =
        scope
            .own(new WriteOptions())
            .setDisableWAL(wal == StorageOptions.Wal.OFF)
            .setSync(wal == StorageOptions.Wal.SYNCED);
    this.flushes = scope.own(new FlushOptions()).setWaitForFlush(true);
    this.blobGarbage = new BlobGarbage(rocks, handle(Family.DATA));
  }

  /**
   * Opens or creates the database in a directory.
   *
   * @throws IOException if its files cannot be read, are damaged or in use; nothing is left open
   */
  public static Database open(Path directory, StorageOptions options) throws IOException {
    NativeLibrary.load();
    Files.createDirectories(directory);
    ManifestCheck.check(directory);
    for (CompressionType compression : COMPRESSIONS) {
      try {
        return open(directory, options, compression);
      } catch (RocksDBException e) {
        boolean isLast = compression == CompressionType.NO_COMPRESSION;
        if (isLast || !isUnsupportedCompression(e)) {
          throw DatabaseException.ofOpening(directory, e);
        }
      }
    }
    throw new IllegalStateException("No compression type was accepted.");
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
      ColumnFamilyOptions familyWithBlobs = settings.familyWithBlobs();
      List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
      descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
      for (Family each : Family.values()) {
        descriptors.add(
            new ColumnFamilyDescriptor(
                each.nameBytes(), each == Family.DATA ? familyWithBlobs : family));
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

  /** The value of a row; empty if there is none. */
  public Optional<byte[]> get(Family family, byte[] key) throws DatabaseException {
    return get(family, key, reads);
  }

  /**
   * A value that is in a memtable or in the caches. Empty if the disk would have to be read, if
   * there is no value, if the value has no bytes, or after an error, which RocksDB does not report
   * here. Does not block.
   */
  public Optional<byte[]> getCached(Family family, byte[] key) {
    Holder<byte[]> value = new Holder<>();
    boolean mayExist = rocks.keyMayExist(handle(family), reads, key, value);
    byte[] found = mayExist ? value.getValue() : null;
    // If the index of a table is not in the cache, RocksDB reports an empty value for any key in
    // the range of the table.
    return found == null || found.length == 0 ? Optional.empty() : Optional.of(found);
  }

  /** The value of a row as of the snapshot of the options; empty if there is none. */
  public Optional<byte[]> get(Family family, byte[] key, ReadOptions options)
      throws DatabaseException {
    try {
      return Optional.ofNullable(rocks.get(handle(family), options, key));
    } catch (RocksDBException e) {
      throw new DatabaseException("Reading a row", e);
    }
  }

  /**
   * Rows of a range, positioned at the first. For reading a range once from start to end: its
   * blocks are not added to the cache, where they would evict blocks that are read often.
   *
   * @param owner frees the cursor
   * @param to exclusive; empty for an unbounded range
   * @param snapshot empty to read the current state
   */
  public Cursor copyCursor(
      NativeScope owner,
      Family family,
      byte[] from,
      Optional<byte[]> to,
      Optional<Snapshot> snapshot)
      throws DatabaseException {
    ReadOptions options = owner.own(new ReadOptions()).setVerifyChecksums(true).setFillCache(false);
    snapshot.ifPresent(options::setSnapshot);
    return Cursor.forward(iterator(owner, family, from, to, options));
  }

  /**
   * Rows of a range, positioned at the first.
   *
   * @param owner frees the cursor
   * @param to exclusive; empty for an unbounded range
   * @param snapshot empty to read the current state
   */
  public Cursor cursor(
      NativeScope owner,
      Family family,
      byte[] from,
      Optional<byte[]> to,
      Optional<Snapshot> snapshot)
      throws DatabaseException {
    return Cursor.forward(iterator(owner, family, from, to, snapshot));
  }

  /** As {@link #cursor}, but positioned at the last row, and proceeding to lower keys. */
  public Cursor reverseCursor(
      NativeScope owner,
      Family family,
      byte[] from,
      Optional<byte[]> to,
      Optional<Snapshot> snapshot)
      throws DatabaseException {
    return Cursor.reverse(iterator(owner, family, from, to, snapshot));
  }

  private RocksIterator iterator(
      NativeScope owner,
      Family family,
      byte[] from,
      Optional<byte[]> to,
      Optional<Snapshot> snapshot) {
    ReadOptions options = owner.own(new ReadOptions()).setVerifyChecksums(true);
    return iterator(owner, family, from, to, snapshot.map(options::setSnapshot).orElse(options));
  }

  private RocksIterator iterator(
      NativeScope owner, Family family, byte[] from, Optional<byte[]> to, ReadOptions options) {
    options.setIterateLowerBound(owner.own(new Slice(from)));
    if (to.isPresent()) {
      options.setIterateUpperBound(owner.own(new Slice(to.get())));
    }
    return owner.own(rocks.newIterator(handle(family), options));
  }

  /** The last key from {@code from} on; empty if there is none. */
  public Optional<byte[]> lastKey(Family family, byte[] from) throws DatabaseException {
    try (NativeScope owner = child("last key")) {
      Cursor cursor = reverseCursor(owner, family, from, Optional.empty(), Optional.empty());
      return cursor.isAtRow() ? Optional.of(cursor.key()) : Optional.empty();
    }
  }

  /**
   * The approximate size of a range in bytes, in memory and in compressed files. Of the blob files,
   * without their garbage, a range has the same fraction as of the tables. Reads the indexes of
   * tables.
   */
  public long approximateBytes(Family family, byte[] from, byte[] to) {
    try (NativeScope owner = child("size")) {
      Range range = new Range(owner.own(new Slice(from)), owner.own(new Slice(to)));
      long rows =
          approximateBytes(
              family,
              range,
              SizeApproximationFlag.INCLUDE_FILES,
              SizeApproximationFlag.INCLUDE_MEMTABLES);
      if (family != Family.DATA) {
        return rows;
      }
      long blobs = approximateBytes(family, range, SizeApproximationFlag.INCLUDE_BLOB_FILES);
      return rows + (long) (blobs * (1 - blobGarbage.share()));
    }
  }

  private long approximateBytes(Family family, Range range, SizeApproximationFlag... parts) {
    return rocks.getApproximateSizes(handle(family), List.of(range), parts)[0];
  }

  /**
   * A key with a row that divides a range in parts of about equal size; empty if there are not two
   * rows. Reads the indexes of tables, and the first and the last row.
   *
   * @param to exclusive; empty for an unbounded range
   */
  public Optional<byte[]> middleKey(Family family, byte[] from, Optional<byte[]> to)
      throws DatabaseException {
    try (NativeScope owner = child("middle")) {
      Cursor first = cursor(owner, family, from, to, Optional.empty());
      Cursor last = reverseCursor(owner, family, from, to, Optional.empty());
      if (!first.isAtRow() || !last.isAtRow() || Arrays.equals(first.key(), last.key())) {
        return Optional.empty();
      }
      byte[] start = first.key();
      Key middle =
          KeyBisection.middle(
              Key.wrap(start),
              Key.wrap(last.key()),
              key -> approximateBytes(family, start, key.bytes()));
      Cursor row = cursor(owner, family, middle.bytes(), to, Optional.empty());
      return row.isAtRow() && !Arrays.equals(row.key(), start)
          ? Optional.of(row.key())
          : Optional.empty();
    }
  }

  /** A snapshot of the current state, valid until the owner is closed. */
  public Snapshot snapshot(NativeScope owner) {
    return owner.own(
        rocks.getSnapshot(),
        snapshot -> {
          rocks.releaseSnapshot(snapshot);
          snapshot.close();
        });
  }

  /** Options that read from a snapshot. */
  public ReadOptions readOptions(NativeScope owner, Snapshot snapshot) {
    return owner.own(new ReadOptions()).setVerifyChecksums(true).setSnapshot(snapshot);
  }

  /** An empty batch of the calling thread, which closes it before the database. */
  public DatabaseBatch batch() {
    return new DatabaseBatch(child("write batch"), this);
  }

  /**
   * Writes a batch atomically. Blocks while RocksDB stalls writes, and with {@link
   * StorageOptions.Wal#SYNCED} until the batch is durable.
   */
  public void write(DatabaseBatch batch) throws DatabaseException {
    try {
      rocks.write(writes, batch.nativeBatch());
    } catch (RocksDBException e) {
      throw new DatabaseException("Writing to the database", e);
    }
  }

  /**
   * Makes everything written before durable, atomically across column families. Blocks.
   *
   * <p>After a full disk RocksDB recovers by itself once there is space, but the recovery first
   * waits for background work to end. A flush that is queued meanwhile never ends: RocksDB
   * reschedules it forever. So a flush is queued only after a probe write has shown that RocksDB
   * accepts writes. If the probe fails, background work is paused and continued, which lets a
   * waiting recovery begin.
   */
  public void flush() throws DatabaseException {
    try {
      rocks.put(handle(Family.META), writes, PROBE_KEY, PROBE_VALUE);
    } catch (RocksDBException e) {
      allowRecovery();
      throw new DatabaseException("Flushing the database", e);
    }
    try {
      rocks.flush(flushes, allHandles);
    } catch (RocksDBException e) {
      throw new DatabaseException("Flushing the database", e);
    }
  }

  /**
   * Enables or disables the collection of garbage in blob files, if their garbage requires it; to
   * be called regularly. One thread; does not throw.
   */
  public void adjustBlobCollection() {
    blobGarbage.adjust();
  }

  private void allowRecovery() throws DatabaseException {
    try {
      rocks.pauseBackgroundWork();
      rocks.continueBackgroundWork();
    } catch (RocksDBException e) {
      throw new DatabaseException("Pausing background work", e);
    }
  }

  /** Creates a table file that another database can ingest. The owner closes the writer. */
  public SstFileWriter tableWriter(NativeScope owner, Path file) throws DatabaseException {
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

  /** Ingests the rows of table files, durably. The files are copied and stay unchanged. */
  public void ingest(Family family, List<Path> files) throws DatabaseException {
    try (NativeScope owner = child("ingestion")) {
      IngestExternalFileOptions options =
          owner.own(new IngestExternalFileOptions()).setMoveFiles(false).setWriteGlobalSeqno(false);
      rocks.ingestExternalFile(
          handle(family), files.stream().map(Path::toString).toList(), options);
    } catch (RocksDBException e) {
      throw new DatabaseException("Ingesting the files of a snapshot", e);
    }
  }

  /** A numeric property, summed over all column families. */
  public long property(String name) throws DatabaseException {
    try {
      return rocks.getAggregatedLongProperty(name);
    } catch (RocksDBException e) {
      throw new DatabaseException("Reading the property " + name, e);
    }
  }

  /** The bytes in the caches of blocks and of values in blob files. */
  public long cachedBytes() throws DatabaseException {
    try {
      return settings.blockCache().getUsage()
          + (settings.hasBlobs()
              ? rocks.getLongProperty(handle(Family.DATA), "rocksdb.blob-cache-usage")
              : 0);
    } catch (RocksDBException e) {
      throw new DatabaseException("Reading the use of the caches", e);
    }
  }

  /** A scope that must be closed before the database. */
  public NativeScope child(String name) {
    return scope.child(name);
  }

  /** The RocksDB handle, for tests that bypass this class. */
  public RocksDB rocks() {
    return rocks;
  }

  /**
   * Closes the database without a flush.
   *
   * @throws IllegalStateException if an object opened from it is still open; the database stays
   *     open then
   */
  @Override
  public void close() {
    scope.close();
  }

  /** Iterates over rows in key order, or in reverse. One thread; freed with its owner. */
  public static final class Cursor {
    private final RocksIterator iterator;
    private final boolean reverse;

    private Cursor(RocksIterator iterator, boolean reverse) {
      this.iterator = iterator;
      this.reverse = reverse;
    }

    private static Cursor forward(RocksIterator iterator) throws DatabaseException {
      Cursor cursor = new Cursor(iterator, false);
      iterator.seekToFirst();
      cursor.check();
      return cursor;
    }

    private static Cursor reverse(RocksIterator iterator) throws DatabaseException {
      Cursor cursor = new Cursor(iterator, true);
      iterator.seekToLast();
      cursor.check();
      return cursor;
    }

    /** Whether the cursor is at a row; false at the end. */
    public boolean isAtRow() {
      return iterator.isValid();
    }

    public byte[] key() {
      return iterator.key();
    }

    public byte[] value() {
      return iterator.value();
    }

    public void next() throws DatabaseException {
      if (reverse) {
        iterator.prev();
      } else {
        iterator.next();
      }
      check();
    }

    /** An iterator that failed is invalid like one at its end; only its status differs. */
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

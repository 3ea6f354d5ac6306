package io.quorate.storage;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Telemetry;
import io.quorate.operation.RequestTag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database of one node: the state of its replicas of any number of regions. Any thread.
 *
 * <p>Below its directory it keeps {@code db} (RocksDB) and {@code install} (snapshots while they
 * are taken over).
 */
public final class Storage implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Storage.class);

  private final StorageParts parts;
  private final ScheduledThreadPoolExecutor appliers;
  private final Map<GroupId, RegionStore> regions = new ConcurrentHashMap<>();
  private boolean closed;

  private Storage(
      Path directory,
      Database database,
      StorageOptions options,
      Telemetry telemetry,
      StorageListener listener,
      int sessionWindow) {
    FailureReport failures = new FailureReport(listener);
    appliers =
        new ScheduledThreadPoolExecutor(options.applyThreads(), Threads.named("quorate-apply"));
    appliers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    Flusher flusher =
        new Flusher(
            database,
            () -> regions.values().stream().map(RegionStore::flushable).toList(),
            failures,
            telemetry);
    parts =
        new StorageParts(
            database,
            new MetaRows(database),
            new UseGate(),
            appliers,
            flusher,
            failures,
            options,
            telemetry,
            directory.resolve("install"),
            sessionWindow);
  }

  /** Opens with failures going to the log only. */
  public static Storage open(Path directory, StorageOptions options, Telemetry telemetry)
      throws IOException {
    return open(directory, options, telemetry, StorageListener.NONE);
  }

  /**
   * Opens the database in a directory, or makes one. Blocks. Regions are opened one by one, by
   * {@link RegionStore#open}.
   *
   * @param listener told when the state cannot be written any more, and when it can again
   * @throws IOException if the files cannot be read, are in use by another process or have another
   *     format; nothing is left open
   */
  public static Storage open(
      Path directory, StorageOptions options, Telemetry telemetry, StorageListener listener)
      throws IOException {
    return open(directory, options, telemetry, listener, RequestTag.WINDOW);
  }

  /** For tests, to which the window of the protocol is too wide to fill it. */
  static Storage open(
      Path directory,
      StorageOptions options,
      Telemetry telemetry,
      StorageListener listener,
      int sessionWindow)
      throws IOException {
    Files.createDirectories(directory);
    Database database = Database.open(directory.resolve("db"), options);
    try {
      Storage storage =
          new Storage(directory, database, options, telemetry, listener, sessionWindow);
      storage.prepare();
      return storage;
    } catch (IOException | RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private void prepare() throws IOException {
    Files.createDirectories(parts.staging());
    parts.meta().establishFormat();
    if (parts.options().wal()) {
      // What RocksDB's own log has brought back counts as durable from now on.
      parts.database().flush();
    }
    gauge(
        "storage.rocksdb.memtable.bytes",
        "Size of the memtables",
        "rocksdb.cur-size-all-mem-tables");
    gauge(
        "storage.rocksdb.tables.bytes",
        "Size of the live table files",
        "rocksdb.live-sst-files-size");
    gauge(
        "storage.rocksdb.keys.estimated",
        "Keys, as RocksDB estimates",
        "rocksdb.estimate-num-keys");
    gauge(
        "storage.rocksdb.compaction.pending.bytes",
        "Bytes that compaction has yet to rewrite",
        "rocksdb.estimate-pending-compaction-bytes");
    whileOpen(
        "storage.rocksdb.cache.bytes",
        "Use of the block cache",
        () -> parts.database().cache().getUsage());
    parts
        .telemetry()
        .gauge(
            "storage.failures",
            "What RocksDB refuses to write now",
            Map.of(),
            () -> failures().size());
    parts.flusher().start(parts.options().flushInterval());
  }

  private void gauge(String name, String help, String property) {
    whileOpen(
        name,
        help,
        () -> {
          try {
            return parts.database().property(property);
          } catch (DatabaseException e) {
            LOG.debug("The measurement {} is missing", name, e);
            return Double.NaN;
          }
        });
  }

  /** Measures native memory, which is gone when the storage is closed; the gauge may outlive it. */
  private void whileOpen(String name, String help, DoubleSupplier value) {
    UseGate gate = parts.gate();
    parts
        .telemetry()
        .gauge(
            name,
            help,
            Map.of(),
            () -> {
              if (!gate.tryEnter()) {
                return Double.NaN;
              }
              try {
                return value.getAsDouble();
              } finally {
                gate.leave();
              }
            });
  }

  /**
   * This node's state of a region; the same object each time. Does not read the disk.
   *
   * @param range the keys that the region has. Ranges of regions in one keyspace must not overlap.
   * @throws IllegalStateException if the region was asked for before with another range or
   *     keyspace, or the storage is closed
   */
  public synchronized RegionStore region(GroupId group, KeyRange range, Keyspace keyspace) {
    if (closed) {
      throw new IllegalStateException("The storage is closed.");
    }
    RegionStore region =
        regions.computeIfAbsent(group, id -> new RegionStore(parts, id, range, keyspace));
    if (!region.range().equals(range) || region.keyspace() != keyspace) {
      throw new IllegalStateException(
          "Region " + group + " has the keys " + region.range() + " in " + region.keyspace() + ".");
    }
    return region;
  }

  /** What fails to be written now; empty while all is well. Does not block. */
  public List<StorageFailure> failures() {
    return parts.failures().present();
  }

  /** The database behind this storage, for tests. */
  Database database() {
    return parts.database();
  }

  /**
   * Stops applying, flushes what was applied, and frees everything. Blocks until every call that
   * reads has returned. Batches that were not applied are left to be handed over again at the next
   * start; nobody gets an answer to them. If the flush fails, so is what was applied since the last
   * one. A second call does nothing.
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      appliers.shutdown();
      regions.values().forEach(RegionStore::close);
      Threads.awaitEnd(appliers);
      flushLast();
      parts.flusher().close();
      parts.gate().close();
    }
    parts.database().close();
  }

  private void flushLast() {
    parts
        .flusher()
        .flush()
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "The last flush failed; the next start replays from the durable positions",
                    failure);
              }
            });
  }
}

package io.quorate.storage;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.MetricsSink;
import io.quorate.operation.RequestId;
import io.quorate.storage.context.CloseGuard;
import io.quorate.storage.context.FailureReport;
import io.quorate.storage.context.Flusher;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.context.Threads;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseException;
import io.quorate.storage.rocks.MetaRows;
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
 * The database of one node, with the state of its replicas of any number of regions. Any thread.
 *
 * <p>Its directory contains {@code db} (RocksDB) and {@code install} (snapshots that are being
 * installed).
 */
public final class Storage implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Storage.class);

  private final StorageContext context;
  private final ScheduledThreadPoolExecutor appliers;
  private final Map<GroupId, RegionStore> regions = new ConcurrentHashMap<>();
  private boolean closed;

  private Storage(
      Path directory,
      Database database,
      StorageOptions options,
      MetricsSink telemetry,
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
    context =
        new StorageContext(
            database,
            new MetaRows(database),
            new CloseGuard(),
            appliers,
            flusher,
            failures,
            options,
            telemetry,
            directory.resolve("install"),
            sessionWindow);
  }

  /** Opens without a listener; failures are only logged. */
  public static Storage open(Path directory, StorageOptions options, MetricsSink telemetry)
      throws IOException {
    return open(directory, options, telemetry, StorageListener.NONE);
  }

  /**
   * Opens or creates the database in a directory. Blocks. Each region is opened separately, by
   * {@link RegionStore#open}.
   *
   * @param listener notified when the state can no longer be written, and when it can again
   * @throws IOException if the files cannot be read, are in use by another process or have another
   *     format; nothing is left open
   */
  public static Storage open(
      Path directory, StorageOptions options, MetricsSink telemetry, StorageListener listener)
      throws IOException {
    return open(directory, options, telemetry, listener, RequestId.WINDOW);
  }

  /** For tests with a session window that is small enough to fill. */
  static Storage open(
      Path directory,
      StorageOptions options,
      MetricsSink telemetry,
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
    Files.createDirectories(context.staging());
    context.meta().establishFormat();
    if (context.options().wal()) {
      // What was recovered from RocksDB's own log counts as durable from now on.
      context.database().flush();
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
    gaugeWhileOpen(
        "storage.rocksdb.cache.bytes",
        "Use of the block cache",
        () -> context.database().cache().getUsage());
    context
        .telemetry()
        .gauge(
            "storage.failures",
            "What RocksDB refuses to write now",
            Map.of(),
            () -> failures().size());
    context.flusher().start(context.options().flushInterval());
  }

  private void gauge(String name, String help, String property) {
    gaugeWhileOpen(
        name,
        help,
        () -> {
          try {
            return context.database().property(property);
          } catch (DatabaseException e) {
            LOG.debug("The gauge {} could not be read", name, e);
            return Double.NaN;
          }
        });
  }

  /**
   * A gauge of native memory, which is freed when the storage is closed; the gauge may outlive it.
   */
  private void gaugeWhileOpen(String name, String help, DoubleSupplier value) {
    CloseGuard closeGuard = context.closeGuard();
    context
        .telemetry()
        .gauge(
            name,
            help,
            Map.of(),
            () -> {
              if (!closeGuard.tryEnter()) {
                return Double.NaN;
              }
              try {
                return value.getAsDouble();
              } finally {
                closeGuard.leave();
              }
            });
  }

  /**
   * This node's state of a region; the same object for each call. Does not read the disk.
   *
   * @param range the region's keys. Ranges of regions in one keyspace must not overlap.
   * @throws IllegalStateException if the region exists with another range or keyspace, or the
   *     storage is closed
   */
  public synchronized RegionStore region(GroupId group, KeyRange range, Keyspace keyspace) {
    if (closed) {
      throw new IllegalStateException("The storage is closed.");
    }
    RegionStore region =
        regions.computeIfAbsent(group, id -> new RegionStore(context, id, range, keyspace));
    if (!region.range().equals(range) || region.keyspace() != keyspace) {
      throw new IllegalStateException(
          "Region " + group + " has the keys " + region.range() + " in " + region.keyspace() + ".");
    }
    return region;
  }

  /** Current write failures; empty if there are none. Does not block. */
  public List<StorageFailure> failures() {
    return context.failures().current();
  }

  /** The database behind this storage, for tests. */
  Database database() {
    return context.database();
  }

  /**
   * Stops applying, flushes what was applied, and frees all resources. Blocks until all running
   * reads have returned. Batches that were not applied are delivered again at the next start; their
   * commands get no result from this process. If the flush fails, the batches applied since the
   * previous flush are delivered again as well. A second call does nothing.
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      appliers.shutdown();
      regions.values().forEach(RegionStore::close);
      Threads.awaitEnd(appliers);
      flushLast();
      context.flusher().close();
      context.closeGuard().close();
    }
    context.database().close();
  }

  private void flushLast() {
    context
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

package io.quorate.storage;

import io.quorate.storage.body.BodyStore;
import io.quorate.storage.context.CloseGuard;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.rocks.DatabaseException;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gauges of a storage, of all of its regions together. */
final class StorageGauges {
  private static final Logger LOG = LoggerFactory.getLogger(StorageGauges.class);

  private final StorageContext context;

  StorageGauges(StorageContext context) {
    this.context = context;
  }

  void register(Optional<BodyStore> bodies) {
    property(
        "storage.rocksdb.memtable.bytes",
        "Size of the memtables",
        "rocksdb.cur-size-all-mem-tables");
    property(
        "storage.rocksdb.tables.bytes",
        "Size of the live table files",
        "rocksdb.live-sst-files-size");
    property(
        "storage.rocksdb.blobs.bytes",
        "Size of the live blob files",
        "rocksdb.live-blob-file-size");
    property(
        "storage.rocksdb.blobs.garbage.bytes",
        "Bytes of overwritten and removed values in the live blob files",
        "rocksdb.live-blob-file-garbage-size");
    property(
        "storage.rocksdb.keys.estimated",
        "Keys, as RocksDB estimates",
        "rocksdb.estimate-num-keys");
    property(
        "storage.rocksdb.compaction.pending.bytes",
        "Bytes that compaction has yet to rewrite",
        "rocksdb.estimate-pending-compaction-bytes");
    ofDatabase(
        "storage.rocksdb.cache.bytes",
        "Use of the caches of blocks and of values",
        () -> context.database().cachedBytes());
    gauge(
        "storage.failures",
        "What the disk refuses to store now, and 1 for damaged rows",
        () -> context.failures().current().size());
    bodies.ifPresent(this::register);
  }

  private void register(BodyStore store) {
    gauge("storage.bodies", "Bodies of large values", store::size);
    gauge(
        "storage.bodies.heap.bytes",
        "Heap that the index of bodies takes, as estimated",
        store::heapBytes);
    gauge(
        "storage.bodies.lost",
        "Bodies that are known to have lost records, until complete copies are restored",
        store::lost);
    gauge("storage.bodies.live.bytes", "Bytes of the bodies", store::liveBytes);
    gauge("storage.bodies.file.bytes", "Bytes of the files with bodies", store::fileBytes);
  }

  private void gauge(String name, String help, DoubleSupplier value) {
    context.telemetry().gauge(name, help, Map.of(), value);
  }

  /** What a gauge reads of the database. */
  private interface DatabaseValue {
    long read() throws DatabaseException;
  }

  private void property(String name, String help, String property) {
    ofDatabase(name, help, () -> context.database().property(property));
  }

  /**
   * A gauge of native memory, which is freed when the storage is closed; the gauge may outlive it.
   */
  private void ofDatabase(String name, String help, DatabaseValue value) {
    CloseGuard closeGuard = context.closeGuard();
    gauge(
        name,
        help,
        () -> {
          if (!closeGuard.tryEnter()) {
            return Double.NaN;
          }
          try {
            return value.read();
          } catch (DatabaseException e) {
            LOG.debug("The gauge {} could not be read", name, e);
            return Double.NaN;
          } finally {
            closeGuard.leave();
          }
        });
  }
}

package io.quorate.storage;

import io.quorate.common.Threads;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.body.BodyStoreOptions;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.context.CloseGuard;
import io.quorate.storage.context.DatabaseScrub;
import io.quorate.storage.context.FailureReport;
import io.quorate.storage.context.Flusher;
import io.quorate.storage.context.LocalRanges;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.digest.Digests;
import io.quorate.storage.garbage.BodySweeper;
import io.quorate.storage.garbage.RegionSweep;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.RowsGate;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.MetaRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database of one node, with the state of its replicas of any number of regions. Any thread.
 *
 * <p>Its directory contains {@code db} (RocksDB), {@code install} (snapshots that are being
 * installed), and {@code bodies} if values may be bodies.
 */
public final class Storage implements AutoCloseable {
  /** The directory of RocksDB. */
  static final String DATABASE = "db";

  private static final Logger LOG = LoggerFactory.getLogger(Storage.class);

  private final StorageContext context;
  private final Digests digests;
  private final ScheduledThreadPoolExecutor appliers;
  private final Optional<BodyStore> bodies;
  private final Optional<BodySweeper> sweeper;
  private final DatabaseScrub scrub;
  private final Map<GroupId, RegionStore> regions = new ConcurrentHashMap<>();
  private boolean closed;

  private Storage(
      Path directory,
      Database database,
      Optional<BodyStore> bodies,
      StorageOptions options,
      MetricsSink telemetry,
      FailureReport failures,
      StorageListener listener,
      int sessionWindow) {
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
            new LocalRanges(),
            listener,
            directory.resolve("install"),
            sessionWindow);
    this.digests = new Digests(telemetry);
    this.bodies = bodies;
    this.sweeper =
        bodies.map(store -> new BodySweeper(store, this::bodySweeps, options.bodySweepInterval()));
    this.scrub = new DatabaseScrub(database, options.scrubInterval(), failures, telemetry);
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
    Database database = Database.open(directory.resolve(DATABASE), options);
    Optional<BodyStore> bodies = Optional.empty();
    try {
      MetaRows meta = new MetaRows(database);
      boolean isNew = meta.isNew();
      FailureReport failures = new FailureReport(listener);
      if (!isNew) {
        meta.establishFormat(options.bodies());
      }
      bodies = openBodies(directory.resolve("bodies"), !isNew, options, failures);
      if (isNew) {
        // Last: from then on the bodies are missed.
        meta.establishFormat(options.bodies());
      }
      Storage storage =
          new Storage(
              directory, database, bodies, options, telemetry, failures, listener, sessionWindow);
      storage.prepare();
      return storage;
    } catch (IOException | RuntimeException e) {
      bodies.ifPresent(Storage::closeBodies);
      database.close();
      throw e;
    }
  }

  private static Optional<BodyStore> openBodies(
      Path directory, boolean isExpected, StorageOptions options, FailureReport failures)
      throws IOException {
    return options.bodies()
        ? Optional.of(
            BodyStore.open(directory, isExpected, BodyStoreOptions.DEFAULT, failures::bodiesFailed))
        : Optional.empty();
  }

  private static void closeBodies(BodyStore bodies) {
    try {
      bodies.close();
    } catch (IOException e) {
      LOG.warn("The files of the body store could not be closed", e);
    }
  }

  private void prepare() throws IOException {
    Files.createDirectories(context.staging());
    context.ranges().load(context.meta());
    if (context.options().wal() != StorageOptions.Wal.OFF) {
      // What was recovered from RocksDB's own log counts as durable from now on.
      context.database().flush();
    }
    new StorageGauges(context).register(bodies);
    context.flusher().start(context.options().flushInterval());
    sweeper.ifPresent(BodySweeper::start);
    scrub.start();
  }

  /**
   * This node's state of a region, which begins empty if there is none; the same object for each
   * call. Reads the disk.
   *
   * @param initial the keys with which the region began or begins, before any split of it. Counts
   *     only if there is no state, or one of a former version, which knew no splits: otherwise the
   *     region has the keys that its own state says.
   * @throws OverlappingRangesException if another region of this node has keys of the range, or the
   *     split from which the region begins is being applied; to be repeated later
   * @throws IOException if the disk cannot be read
   * @throws IllegalStateException if the region exists in another keyspace, or the storage is
   *     closed
   */
  public RegionStore region(GroupId group, KeyRange initial, Keyspace keyspace) throws IOException {
    return region(group, Optional.of(initial), keyspace);
  }

  /**
   * This node's state of a region that does not begin empty, as one that began by a split;
   * otherwise as {@link #region(GroupId, KeyRange, Keyspace)}. If there is no state, the region has
   * no keys, and nothing is applied until a snapshot is installed: what the log contains does not
   * apply to an empty state.
   */
  public RegionStore region(GroupId group, Keyspace keyspace) throws IOException {
    return region(group, Optional.empty(), keyspace);
  }

  /**
   * Begins regions with their first keys, those that have no state here: durably, and with one
   * flush for all. Each one may also begin by itself when it is {@link #region opened}. Blocks.
   *
   * @throws OverlappingRangesException as {@link #region(GroupId, KeyRange, Keyspace)}; no region
   *     has begun
   * @throws IOException if the states cannot be written; regions may have begun, and the call may
   *     be repeated
   * @throws IllegalStateException if the storage is closed
   */
  public void begin(Map<GroupId, KeyRange> initial, Keyspace keyspace) throws IOException {
    List<GroupId> begun = writeBases(initial, keyspace);
    if (!begun.isEmpty()) {
      context.flusher().flushAndAwait();
      begun.forEach(context.ranges()::flushed);
    }
  }

  /** Returns the regions that had no state. */
  private synchronized List<GroupId> writeBases(Map<GroupId, KeyRange> initial, Keyspace keyspace)
      throws IOException {
    if (closed) {
      throw new IllegalStateException("The storage is closed.");
    }
    List<GroupId> begun = new ArrayList<>();
    try (DatabaseBatch batch = context.database().batch()) {
      for (Map.Entry<GroupId, KeyRange> each : initial.entrySet()) {
        GroupId group = each.getKey();
        if (!holds(group)) {
          context.ranges().claim(group, keyspace, each.getValue());
          begun.add(group);
          RegionShape shape = RegionShape.initial(group, each.getValue());
          context.meta().putBase(batch, group, new MetaRows.Base(keyspace, shape));
        }
      }
      if (!begun.isEmpty()) {
        context.database().write(batch);
      }
    } catch (IOException e) {
      begun.forEach(context.ranges()::release);
      throw e;
    }
    return begun;
  }

  private synchronized RegionStore region(
      GroupId group, Optional<KeyRange> initial, Keyspace keyspace) throws IOException {
    if (closed) {
      throw new IllegalStateException("The storage is closed.");
    }
    RegionStore region = regions.get(group);
    if (region == null) {
      claim(group, initial, keyspace);
      region =
          new RegionStore(
              context,
              digests,
              bodies.filter(store -> keyspace == Keyspace.DATA),
              group,
              initial,
              keyspace);
      regions.put(group, region);
    }
    if (region.keyspace() != keyspace) {
      throw inKeyspace(group, region.keyspace());
    }
    return region;
  }

  /** Requires that the range of a region is free, and keeps it so. */
  private void claim(GroupId group, Optional<KeyRange> initial, Keyspace keyspace)
      throws IOException {
    Optional<MetaRows.Base> base = context.meta().base(group);
    if (base.isPresent()) {
      if (base.get().keyspace() != keyspace) {
        throw inKeyspace(group, base.get().keyspace());
      }
      context.ranges().require(group);
    } else if (initial.isPresent()) {
      context.ranges().claim(group, keyspace, initial.get());
    }
  }

  private static IllegalStateException inKeyspace(GroupId group, Keyspace keyspace) {
    return new IllegalStateException("Region " + group + " has its keys in " + keyspace + ".");
  }

  /**
   * Whether there is a state of a region: it was opened with its first keys, began by a split, or
   * received a snapshot. Reads the disk.
   *
   * @throws IllegalStateException if the storage is closed
   */
  public boolean holds(GroupId group) throws IOException {
    return whileOpen(
        () ->
            context.meta().base(group).isPresent()
                || !context.meta().applied(group).equals(Position.NONE));
  }

  /**
   * Whether another region has a key of a range here, open or not: the region that is to have the
   * range begins by a split that is not applied yet. Any thread; does not block.
   */
  public boolean hasOther(GroupId group, KeyRange range, Keyspace keyspace) {
    return context.ranges().other(group, keyspace, range).isPresent();
  }

  /**
   * The keys that a region has here, open or not, also while it is frozen; empty if it has no
   * state. Any thread; does not block.
   */
  public Optional<KeyRange> range(GroupId group) {
    return context.ranges().range(group);
  }

  /**
   * The region here, open or not, that begins with the greatest key below a key; empty if there is
   * none. Any thread; does not block.
   */
  public Optional<GroupId> below(Key key, Keyspace keyspace) {
    return context.ranges().below(keyspace, key);
  }

  /**
   * Makes what is applied to every region durable. Blocks.
   *
   * @throws IOException if it cannot be written
   */
  public void flush() throws IOException {
    context.flusher().flushAndAwait();
  }

  /**
   * The regions that began by a split and have a state here, with their parents. Those whose groups
   * are not open here are to be opened, with {@link #region(GroupId, Keyspace)}, or removed. Reads
   * the disk.
   *
   * <p>The state contains the children, so they are reported after every restart, and until they
   * are removed; {@link StorageListener#childBegan} only reports a new one sooner.
   *
   * @throws IllegalStateException if the storage is closed
   */
  public Map<GroupId, GroupId> children() throws IOException {
    Map<GroupId, GroupId> parents = new TreeMap<>();
    whileOpen(context.meta()::bases)
        .forEach(
            (child, base) -> base.shape().parent().ifPresent(parent -> parents.put(child, parent)));
    return parents;
  }

  /**
   * The greatest epoch of a body with which a region here may have begun: the epochs of its group
   * must be greater. 0 if it began without bodies or has no state here. Reads the disk.
   *
   * @throws IllegalStateException if the storage is closed
   */
  public long inheritedEpoch(GroupId group) throws IOException {
    return whileOpen(() -> context.meta().base(group))
        .map(base -> base.shape().inheritedEpoch())
        .orElse(0L);
  }

  /**
   * Removes this node's state of a region, of which it has no replica any more: its sessions, its
   * position, and the rows of the keys that it has now. Durable when the call returns; after a
   * crash before that, there is all of the state or nothing, and then perhaps some of its bodies.
   * These are removed last, also those of a region without a state. The region's group is closed,
   * and nobody uses its store any more; {@link #region} then returns a new, empty one. Has no other
   * effect on a region without a state. Blocks.
   *
   * @param initial as in {@link #region(GroupId, KeyRange, Keyspace)}
   * @throws IOException if it cannot be removed; the call is to be repeated, until which the region
   *     cannot be used
   * @throws IllegalStateException as {@link #region(GroupId, KeyRange, Keyspace)}
   */
  public void remove(GroupId group, KeyRange initial, Keyspace keyspace) throws IOException {
    RegionStore region = holds(group) ? region(group, initial, keyspace) : region(group, keyspace);
    region.remove();
    // Awaited: a leader may copy bodies to this node again soon, and rely on what it finds.
    if (bodies.isPresent()) {
      BodyRemovals.removeAll(bodies.get(), group);
    }
    context.ranges().release(group);
    regions.remove(group, region);
  }

  /**
   * Removes the bodies of regions of which there is nothing else here: no state, also none that is
   * about to begin by a split, and no {@linkplain #region store}. They were stored by a delayed
   * request after their region was {@linkplain #remove removed}, or what began with them was not
   * completed. Durable when the call returns. Blocks; called by the thread that opens and removes
   * regions.
   *
   * @param isNeeded whether this node has, is to have or has lost a replica of a region, and keeps
   *     its bodies
   * @throws IOException if they cannot be removed; the call may be repeated
   * @throws IllegalStateException if the storage is closed
   */
  public void removeUnusedBodies(Predicate<GroupId> isNeeded) throws IOException {
    if (bodies.isPresent()) {
      for (GroupId group : bodies.get().groups()) {
        if (!isNeeded.test(group) && !regions.containsKey(group) && !holds(group)) {
          BodyRemovals.removeUnused(bodies.get(), group);
        }
      }
    }
  }

  /** The database is not closed before the reading returns. */
  private <T> T whileOpen(RowsGate.Reading<T> reading) throws IOException {
    context.closeGuard().enter();
    try {
      return reading.read();
    } finally {
      context.closeGuard().leave();
    }
  }

  private List<RegionSweep> bodySweeps() {
    return regions.values().stream().flatMap(region -> region.bodySweep().stream()).toList();
  }

  /**
   * The bodies of the regions of {@link Keyspace#DATA}; empty without {@link
   * StorageOptions#bodies}. Not to be used when the storage is closed. Bodies are removed when they
   * are settled and no row refers to them, see {@link BodySweeper}.
   */
  public Optional<BodyStorage> bodies() {
    return bodies.map(store -> store);
  }

  /** Current failures; empty if there are none. Does not block. */
  public List<StorageFailure> failures() {
    return context.failures().current();
  }

  /** The store behind {@link #bodies}, for tests. */
  Optional<BodyStore> bodyStore() {
    return bodies;
  }

  /** The database behind this storage, for tests. */
  Database database() {
    return context.database();
  }

  /**
   * Ends the digests that are computed or wait: they keep overwritten rows on the disk. Any thread;
   * does not block.
   */
  public void abandonDigests() {
    digests.abandon();
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
      sweeper.ifPresent(BodySweeper::close);
      scrub.close();
      appliers.shutdown();
      regions.values().forEach(RegionStore::close);
      Threads.awaitEnd(appliers);
      digests.close();
      context.flusher().close();
      context.closeGuard().close();
      bodies.ifPresent(Storage::closeBodies);
    }
    context.database().close();
  }
}

package io.quorate.storage;

import io.quorate.common.DecodeException;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.storage.apply.AppliedState;
import io.quorate.storage.apply.RegionApplier;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.RowFormat;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.context.Flusher;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.digest.Digests;
import io.quorate.storage.digest.RegionDigester;
import io.quorate.storage.garbage.RegionSweep;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.OutOfRangeException;
import io.quorate.storage.read.Overlay;
import io.quorate.storage.read.RangeGate;
import io.quorate.storage.read.ReadMeter;
import io.quorate.storage.read.ReadStatistics;
import io.quorate.storage.read.RegionExtent;
import io.quorate.storage.read.RegionReader;
import io.quorate.storage.read.RowsGate;
import io.quorate.storage.read.ScanCut;
import io.quorate.storage.read.ScanPlan;
import io.quorate.storage.read.StoredCut;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.snapshot.MergeExport;
import io.quorate.storage.snapshot.MergeState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletionStage;

/**
 * The state of one region: its rows, its applied position and its client sessions. Commands are
 * encoded {@link io.quorate.protocol.operation.ClientCommand}s, results encoded {@link
 * io.quorate.protocol.operation.Result}s.
 *
 * <p>Results are completed when commands are applied, on an applier's thread, in the order of
 * positions. With replies at commit, results that are known by then are completed within {@link
 * #committed} instead, on the engine's thread; see {@link io.quorate.storage.command.EarlyReply}. A
 * command that cannot be decoded is refused, on every replica alike. A batch at or below the
 * applied position changes nothing; its commands get their stored results, or "forgotten" where
 * none is stored.
 *
 * <p>When a write fails, for example because the disk is full, the region keeps the committed
 * batches, continues to serve reads and retries by itself; {@link
 * io.quorate.storage.options.StorageListener} is notified. Batches then wait without results, and
 * {@link #committed} applies back-pressure once the queue is full.
 *
 * <p>May be {@linkplain #open opened} again, when an engine in the same process has closed its
 * group and reopens it. Reads of a region that is not open fail.
 */
public final class RegionStore implements ReplicatedStateMachine {
  private final StorageContext context;
  private final Optional<BodyStore> bodies;
  private final GroupId group;
  private final Keyspace keyspace;
  private final boolean usesCostModel;
  private final AppliedState state;
  private final RegionApplier applier;
  private final RegionReader reader;
  private final RowsGate rows;
  private final RangeGate owned;
  private final RegionDigester digester;
  private final RegionExtent extent;
  private final Optional<RegionSweep> bodySweep;
  private final ReadMeter meter;
  private final RegionLifecycle lifecycle;
  private final MergeExport mergeExport;

  /**
   * @param bodies the bodies of large values; empty if no value of the region can be one
   * @param initial the keys with which the region begins if there is no state; empty if it then
   *     waits for a snapshot
   */
  RegionStore(
      StorageContext context,
      Digests digests,
      Optional<BodyStore> bodies,
      GroupId group,
      Optional<KeyRange> initial,
      Keyspace keyspace) {
    this.context = context;
    this.bodies = bodies;
    this.group = group;
    this.keyspace = keyspace;
    this.usesCostModel =
        context.options().readAcceleration()
            && context.options().scans() == StorageOptions.Scans.COST_MODEL;
    Family family = Family.of(keyspace);
    RowFormat format = bodies.isPresent() ? RowFormat.TYPED : RowFormat.PLAIN;
    OperationExecutor execution = new OperationExecutor(format);
    Overlay overlay =
        new Overlay(context.options().overlayChanges(), context.options().overlayBytes());
    this.meter = new ReadMeter(context.telemetry(), group);
    this.rows = new RowsGate(context.closeGuard(), context.failures(), group);
    this.digester = new RegionDigester(context, digests, rows, group, family);
    this.state = new AppliedState(context, group, keyspace, execution, bodies, meter, digester);
    this.applier = new RegionApplier(context, group, state, execution, overlay, meter);
    this.reader = new RegionReader(context, group, family, format, execution, overlay, meter);
    this.owned = new RangeGate(rows, group, applier::range);
    this.bodySweep =
        bodies.map(
            store ->
                new RegionSweep(context, rows, group, applier::range, family, state::bodyHorizon));
    this.extent =
        new RegionExtent(context.database(), rows, family, applier::range, this::bodyBytes);
    this.mergeExport = new MergeExport(context, group, keyspace);
    this.lifecycle = new RegionLifecycle(context, group, keyspace, initial, state, applier, rows);
  }

  public GroupId group() {
    return group;
  }

  /**
   * The keys of the region as of the newest readable position; none before it is opened or has a
   * state. Any thread; does not block.
   */
  public KeyRange range() {
    return applier.range();
  }

  Keyspace keyspace() {
    return keyspace;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Completes an install that a crash interrupted. Opening again does not undo what was applied
   * since the durable position: those batches are ignored when they are delivered again. When the
   * call returns, it is durable which keys the region has, and, of a region that began by a split,
   * with which rows and sessions it began; without a state here it has no keys, and its batches
   * wait until a snapshot is installed.
   *
   * @throws OverlappingRangesException if another region has absorbed this one since the storage
   *     was opened, and this one was not open before: its group cannot continue without its state,
   *     and is to be removed
   * @throws IllegalStateException if the storage is closed
   */
  @Override
  public Position open() throws IOException {
    return lifecycle.open();
  }

  @Override
  public KeyScope writeSet(ByteBuffer command) {
    try {
      return ClientCommand.decode(command).operation().writeSet();
    } catch (DecodeException e) {
      // A malformed command has no effect, and a larger write set is always safe.
      return KeyScope.range(KeyRange.ALL);
    }
  }

  @Override
  public CompletionStage<Void> committed(CommittedBatch batch) {
    return applier.add(batch);
  }

  @Override
  public Position applied() {
    return state.position();
  }

  /** Number of positions that are committed here and not applied. Any thread; does not block. */
  public long unapplied() {
    return applier.gap();
  }

  /**
   * Waits until reads see everything up to a position: until it is applied, or, with read
   * acceleration, until it is committed here. Any thread; does not block.
   *
   * @return completes immediately, or on an applier's or the engine's thread, which must not be
   *     blocked. Fails with {@link io.quorate.consensus.ConsensusException.Unavailable} when the
   *     storage is closed, and with {@link io.quorate.consensus.ConsensusException.Overloaded}
   *     while 65,536 callers wait. Does not time out while writes fail: the caller bounds the wait,
   *     and frees its place by completing the stage's future.
   */
  public CompletionStage<Void> awaitReadable(Position position) {
    return applier.awaitReadable(position);
  }

  @Override
  public Position durable() {
    return lifecycle.durable();
  }

  @Override
  public CompletionStage<Position> flush() {
    return context.flusher().flush().thenApply(flushed -> lifecycle.durable());
  }

  /** Number of client sessions. Any thread; does not block. */
  public int sessionCount() {
    return state.sessionCount();
  }

  /** Number of client sessions that have not ended. Any thread; does not block. */
  public int openSessionCount() {
    return state.openSessionCount();
  }

  /**
   * The value of a key, as of the newest readable position. Any thread; may read the disk.
   *
   * @throws OutOfRangeException if the region does not have the key at that position
   * @throws UncheckedIOException if the read fails, the region is not open, or a snapshot is being
   *     installed
   * @throws IllegalStateException if the storage is closed, or the value is a body, see {@link
   *     #getStored}
   */
  public Optional<byte[]> get(Key key) {
    return owned.reading(key, () -> reader.get(key));
  }

  /**
   * What is stored as the value of a key; otherwise as {@link #get}. A body may be removed when a
   * newer state does not refer to it: the caller then reads the key again.
   */
  public Optional<StoredValue> getStored(Key key) {
    return owned.reading(key, () -> reader.getStored(key));
  }

  /**
   * The value of a key as {@link #get} returns it, if it can be read without the disk; empty if it
   * cannot, if there is no value or an empty one, if it is a body, or if a change of the key is not
   * applied yet. Any thread; does not block.
   *
   * @throws OutOfRangeException as {@link #get}
   * @throws UncheckedIOException as {@link #get}
   * @throws IllegalStateException if the storage is closed
   */
  public Optional<byte[]> getCached(Key key) {
    return owned.reading(key, () -> reader.getCached(key));
  }

  /**
   * Plans how to read the first rows of a range, according to {@link StorageOptions#scans}. To be
   * called when everything that the scan must see is readable. Any thread; does not read the disk,
   * but iterates over the pending changes of the range, whose number {@link
   * StorageOptions#overlayChanges} bounds.
   *
   * @param requested the requested keys
   * @param order which rows are the first
   * @param rowsMax maximum number of rows, at least 1
   * @return the plan to {@link #cut} with, after {@link #awaitScan}
   * @throws OutOfRangeException as {@link #cut}, which always checks the range
   * @throws UncheckedIOException if the region is not open, or a snapshot is being installed
   * @throws IllegalStateException if the storage is closed
   */
  public ScanPlan planScan(KeyRange requested, ScanOrder order, int rowsMax) {
    requireRows(rowsMax);
    if (!usesCostModel || requested.isEmpty()) {
      return ScanPlan.MERGE;
    }
    return owned.reading(requested, () -> reader.plan(requested, order, rowsMax));
  }

  /**
   * Waits as a plan requires: until its position is applied, or until applying fails, since the
   * wait may then never end. The scan may be read in either case. Any thread; does not block.
   *
   * @return completes immediately, or on an applier's thread, which must not be blocked; fails like
   *     {@link #awaitReadable}. A caller that gives up frees its place by completing the stage's
   *     future.
   */
  public CompletionStage<Void> awaitScan(ScanPlan plan) {
    return applier.awaitApplied(plan.after());
  }

  /** The page of {@link #cut} in key order, with {@link ScanPlan#MERGE}. */
  public ScanPage scan(KeyRange requested, int rowsMax, int bytesMax) {
    return scan(requested, rowsMax, bytesMax, ScanPlan.MERGE);
  }

  /** The page of {@link #cut} in key order. */
  public ScanPage scan(KeyRange requested, int rowsMax, int bytesMax, ScanPlan plan) {
    return cut(requested, ScanOrder.FORWARD, rowsMax, bytesMax, plan).page();
  }

  /**
   * The first rows of a range, as of the newest readable position, with that position. Any thread;
   * may read the disk.
   *
   * @param requested the requested keys
   * @param order the order of the rows
   * @param rowsMax maximum number of rows, at least 1
   * @param bytesMax maximum bytes of keys and values; the first row is returned whatever its size
   * @param plan how the rows are read; does not affect the result
   * @throws OutOfRangeException if the region does not have all of the keys at that position
   * @throws UncheckedIOException if the read fails, the region is not open, or a snapshot is being
   *     installed
   * @throws IllegalStateException if the storage is closed, or a value is a body, see {@link
   *     #cutStored}
   */
  public ScanCut cut(
      KeyRange requested, ScanOrder order, int rowsMax, int bytesMax, ScanPlan plan) {
    requireRows(rowsMax);
    return requested.isEmpty()
        ? new ScanCut(new ScanPage(List.of(), Optional.empty()), reader.readable(applied()))
        : owned.reading(requested, () -> reader.scan(requested, order, rowsMax, bytesMax, plan));
  }

  /**
   * As {@link #cut}, with what is stored as the values. The length of a body counts as that of a
   * value in its row.
   */
  public StoredCut cutStored(
      KeyRange requested, ScanOrder order, int rowsMax, int bytesMax, ScanPlan plan) {
    requireRows(rowsMax);
    return requested.isEmpty()
        ? new StoredCut(List.of(), Optional.empty(), reader.readable(applied()))
        : owned.reading(
            requested, () -> reader.scanStored(requested, order, rowsMax, bytesMax, plan));
  }

  private static void requireRows(int rowsMax) {
    if (rowsMax < 1) {
      throw new IllegalArgumentException(
          "A scan must request at least 1 row, not " + rowsMax + ".");
    }
  }

  /**
   * The greatest number of a split or merge of the region that is applied here; that of the region
   * itself before the first one. Any thread; does not block.
   */
  public GroupId newestChange() {
    return state.shape().newestChange();
  }

  /**
   * What the region before this one needs to absorb it. Any thread; reads the disk, at most about
   * {@link io.quorate.protocol.operation.Operation.Absorb#STATE_BYTES_MAX} bytes of rows and
   * sessions.
   *
   * @throws UncheckedIOException if the read fails, the region is not open or has no state, or a
   *     snapshot is being installed
   * @throws IllegalStateException if the storage is closed
   */
  public MergeState mergeState() {
    return rows.reading(
        () ->
            bodies.isPresent()
                ? new MergeState(state.shape(), Optional.empty())
                : mergeExport.read());
  }

  /** What this node holds of bodies, which is not known before garbage was searched for. */
  private long bodyBytes() {
    return bodySweep.filter(RegionSweep::hasSearched).isPresent()
        ? bodies.orElseThrow().bytesOf(group)
        : 0;
  }

  /** The input of the cost model, for tests that set the costs. */
  ReadMeter meter() {
    return meter;
  }

  /** See {@link RegionExtent#bytes}. Any thread; may read the disk. */
  public long rowBytes() {
    return extent.bytes();
  }

  /** See {@link RegionExtent#middleKey}. Any thread; may read the disk. */
  public Optional<Key> middleKey() {
    return extent.middleKey();
  }

  /** See {@link RegionExtent#bounds}. Any thread; may read the disk. */
  public List<Key> bounds(int halvings) {
    return extent.bounds(halvings);
  }

  /**
   * The newest digest of the rows and sessions, at the position of an {@link
   * io.quorate.protocol.operation.Operation.Digest} that was applied since the start; empty if
   * there is none. It is there some time after its position is applied. Any thread; does not block.
   */
  public Optional<RegionDigest> digest() {
    return digester.newest();
  }

  /**
   * Refuses reads from now on: what is here is known to be wrong. Until the region is opened again.
   * Any thread; does not block.
   *
   * @param reason a sentence
   */
  public void refuseReads(String reason) {
    rows.refuse(reason);
  }

  /**
   * What part of a digest is computed, 0 to 1; empty if none is to be. Any thread; does not block.
   */
  public OptionalDouble digestProgress() {
    return digester.progress();
  }

  /** Read statistics of the region. Any thread; does not block. */
  public ReadStatistics reads() {
    return meter.statistics();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if the storage is closed
   */
  @Override
  public Position exportSnapshot(Path directory) throws IOException {
    return lifecycle.export(directory);
  }

  /**
   * {@inheritDoc}
   *
   * <p>The region has the keys of the snapshot afterwards. If it fails after it began to replace
   * the old state, which takes a failing disk, the region can neither be read nor applied until
   * {@link #open} or another install succeeds.
   *
   * @throws OverlappingRangesException if there is no state yet, and another region of this node
   *     has keys of the snapshot; nothing has changed, and a later snapshot may not have them
   * @throws IOException also if the snapshot is not of a later state of the region, for example of
   *     one before a split that has been applied here; nothing has changed
   * @throws IllegalStateException if the storage is closed
   */
  @Override
  public void install(Path directory, Position position) throws IOException {
    lifecycle.install(directory, position);
  }

  /** See {@link Storage#remove}. */
  void remove() throws IOException {
    digester.forget();
    lifecycle.remove();
  }

  /** The removal of the region's garbage bodies; empty if it has no bodies. */
  Optional<RegionSweep> bodySweep() {
    return bodySweep;
  }

  /** The region's part in a flush of the whole database. */
  Flusher.Flushable flushable() {
    return lifecycle.flushable();
  }

  /** Stops applying and fails all waiters. */
  void close() {
    applier.close();
  }
}

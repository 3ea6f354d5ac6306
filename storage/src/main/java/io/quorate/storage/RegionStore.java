package io.quorate.storage;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.operation.MalformedException;
import io.quorate.operation.ScanPage;
import io.quorate.operation.TaggedOperation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;

/**
 * One region's state: its rows, its applied position and its client sessions. Commands are encoded
 * {@link io.quorate.operation.TaggedOperation}s, answers encoded {@link
 * io.quorate.operation.Result}s.
 *
 * <p>Commands are answered when they are applied, on an applier's thread, in the order of their
 * positions. Where replies leave at commit, those whose answer is known then are answered within
 * {@link #committed} instead, on the engine's thread; see {@link Admission}. A command that cannot
 * be decoded is answered as refused, on every replica alike. A batch at or below the applied
 * position changes nothing; its commands are answered by what is remembered of them, and as
 * forgotten where nothing is.
 *
 * <p>When a write fails, for want of space for example, the region keeps what was committed, goes
 * on being read, and tries again by itself; {@link StorageListener} is told. Batches then wait
 * without an answer, and {@link #committed} asks for a pause once the queue is full.
 *
 * <p>May be {@link #open opened} again, when an engine in the same process has closed its group and
 * opens it once more. Reads of a region that is not open fail.
 */
public final class RegionStore implements ReplicatedStateMachine {
  private final StorageParts parts;
  private final GroupId group;
  private final KeyRange range;
  private final Keyspace keyspace;
  private final boolean plansScans;
  private final RegionApplier applier;
  private final RowReader reader;
  private final ReadMeter meter;
  private final SnapshotExport snapshotExport;
  private final SnapshotInstall snapshotInstall;

  /** Replaced by flushes and installs; compared by identity so that neither undoes the other. */
  private final AtomicReference<Position> durable = new AtomicReference<>(Position.NONE);

  /** Held while opening, exporting or installing. */
  private final ReentrantLock administering = new ReentrantLock();

  /** Shared by reads, which never wait for it; exclusive while an install has two states' rows. */
  private final StampedLock rows = new StampedLock();

  /** Why reads are refused; becomes empty under {@link #rows} only. */
  private volatile Optional<String> unreadable = Optional.of("The region is not open.");

  /** Guarded by {@link #administering}. */
  private boolean wasOpen;

  /** Whether {@link #durable} may be about another state; guarded by {@link #administering}. */
  private boolean installFailed;

  RegionStore(StorageParts parts, GroupId group, KeyRange range, Keyspace keyspace) {
    this.parts = parts;
    this.group = group;
    this.range = range;
    this.keyspace = keyspace;
    this.plansScans =
        parts.options().readAcceleration()
            && parts.options().scans() == StorageOptions.Scans.COST_MODEL;
    Family family = Family.of(keyspace);
    Execution execution = new Execution(range);
    Overlay overlay = new Overlay(parts.options().overlayChanges(), parts.options().overlayBytes());
    this.meter = new ReadMeter(parts.telemetry(), group);
    this.applier = new RegionApplier(parts, group, family, execution, overlay, meter);
    this.reader = new RowReader(parts, group, family, execution, overlay, meter);
    this.snapshotExport = new SnapshotExport(parts, group, range, family);
    this.snapshotInstall = new SnapshotInstall(parts, group, range, family);
  }

  public GroupId group() {
    return group;
  }

  public KeyRange range() {
    return range;
  }

  Keyspace keyspace() {
    return keyspace;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Ends an install that a crash cut off. Opening again does not undo what was applied since the
   * durable position: those batches are ignored when they come again.
   *
   * @throws IllegalStateException if the storage is closed
   */
  @Override
  public Position open() throws IOException {
    parts.gate().enter();
    administering.lock();
    try {
      exclusively(snapshotInstall::resume);
      if (installFailed) {
        snapshotInstall.flush();
      }
      if (!wasOpen || installFailed) {
        // Whatever a newly opened database contains has survived already.
        durable.set(applier.applied());
      }
      wasOpen = true;
      installFailed = false;
      return durable.get();
    } finally {
      administering.unlock();
      parts.gate().leave();
    }
  }

  @Override
  public KeyScope footprint(ByteBuffer command) {
    try {
      return TaggedOperation.decode(command).operation().footprint();
    } catch (MalformedException e) {
      // Nothing comes of it; saying too much is always safe.
      return KeyScope.range(range);
    }
  }

  @Override
  public CompletionStage<Void> committed(CommittedBatch batch) {
    return applier.add(batch);
  }

  @Override
  public Position applied() {
    return applier.applied();
  }

  /** How many positions are committed here and not applied. Any thread; does not block. */
  public long unapplied() {
    return applier.gap();
  }

  /**
   * Waits until reads see everything up to a position: until it is applied, or, where reads are
   * accelerated, until it is committed here. Any thread; does not block.
   *
   * @return completes at once, or on an applier's or the engine's thread, which must not be
   *     blocked. Fails as {@link io.quorate.consensus.ConsensusException.Unavailable} when the
   *     storage is closed, and as {@link io.quorate.consensus.ConsensusException.Overloaded} when
   *     65,536 callers wait. Does not end by itself while writes fail: the caller bounds its
   *     patience, and frees the place by completing the stage's future.
   */
  public CompletionStage<Void> awaitReadable(Position position) {
    return applier.awaitReadable(position);
  }

  @Override
  public Position durable() {
    return durable.get();
  }

  @Override
  public CompletionStage<Position> flush() {
    return parts.flusher().flush().thenApply(flushed -> durable.get());
  }

  /** Client sessions that are remembered. Any thread; does not block. */
  public int sessionCount() {
    return applier.sessionCount();
  }

  /**
   * The value of a key, as of the newest position that is readable. Any thread; may read the disk.
   * Keys outside the region's range have none.
   *
   * @throws UncheckedIOException if it could not be read, the region is not open, or a snapshot is
   *     being installed
   * @throws IllegalStateException if the storage is closed
   */
  public Optional<byte[]> get(Key key) {
    return range.contains(key) ? reading(() -> reader.get(key)) : Optional.empty();
  }

  /**
   * Decides how the first rows of a range are best read, as {@link StorageOptions#scans} says. To
   * be asked when everything that the scan must see is readable. Any thread; does not read the
   * disk, but goes through the pending changes of the range, of which there are {@link
   * StorageOptions#overlayChanges} at most.
   *
   * @param wanted the keys asked for
   * @param rowsMax most rows, at least 1
   * @return how to {@link #scan}, after {@link #awaitScan}
   * @throws UncheckedIOException if the region is not open, or a snapshot is being installed
   * @throws IllegalStateException if the storage is closed
   */
  public ScanPlan planScan(KeyRange wanted, int rowsMax) {
    requireRows(rowsMax);
    KeyRange present = range.intersect(wanted);
    if (!plansScans || present.isEmpty()) {
      return ScanPlan.MERGE;
    }
    return reading(() -> reader.plan(present, rowsMax));
  }

  /**
   * Waits as a plan says: until what it names is applied, or applying is found to fail, since it
   * may then take for ever. The scan may be read in either case. Any thread; does not block.
   *
   * @return completes at once, or on an applier's thread, which must not be blocked; fails as
   *     {@link #awaitReadable} does. Whoever gives up frees the place by completing its future.
   */
  public CompletionStage<Void> awaitScan(ScanPlan plan) {
    return applier.awaitApplied(plan.after());
  }

  /** As {@link #scan(KeyRange, int, int, ScanPlan)} with {@link ScanPlan#MERGE}. */
  public ScanPage scan(KeyRange wanted, int rowsMax, int bytesMax) {
    return scan(wanted, rowsMax, bytesMax, ScanPlan.MERGE);
  }

  /**
   * The first rows of a range, as of the newest position that is readable. Any thread; may read the
   * disk.
   *
   * @param wanted the keys asked for; those outside the region's range are left out
   * @param rowsMax most rows, at least 1
   * @param bytesMax most bytes of keys and values; the first row is returned however long it is
   * @param plan decides how the rows are read; the answer is the same by any
   * @throws UncheckedIOException if it could not be read, the region is not open, or a snapshot is
   *     being installed
   * @throws IllegalStateException if the storage is closed
   */
  public ScanPage scan(KeyRange wanted, int rowsMax, int bytesMax, ScanPlan plan) {
    return cut(wanted, rowsMax, bytesMax, plan).page();
  }

  /**
   * What a region held at one position.
   *
   * @param position the page shows every change up to it, and none beyond
   */
  public record Cut(ScanPage page, Position position) {}

  /** As {@link #scan(KeyRange, int, int, ScanPlan)}, with the position that the page shows. */
  public Cut cut(KeyRange wanted, int rowsMax, int bytesMax, ScanPlan plan) {
    requireRows(rowsMax);
    KeyRange present = range.intersect(wanted);
    return present.isEmpty()
        ? reader.scanOfNothing(applied())
        : reading(() -> reader.scan(present, rowsMax, bytesMax, plan));
  }

  private static void requireRows(int rowsMax) {
    if (rowsMax < 1) {
      throw new IllegalArgumentException("A scan asks for at least 1 row, not " + rowsMax + ".");
    }
  }

  /** Something that looks at the rows, which are not replaced meanwhile. */
  private interface Reading<T> {
    T read() throws IOException;
  }

  private <T> T reading(Reading<T> reading) {
    parts.gate().enter();
    try {
      return readNow(reading);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      parts.gate().leave();
    }
  }

  /** Whoever waited here for an install would keep a thread from the reads of other regions. */
  private <T> T readNow(Reading<T> reading) throws IOException {
    requireReadable();
    long stamp = rows.tryReadLock();
    if (stamp == 0) {
      throw new IOException(betweenTwoStates());
    }
    try {
      requireReadable();
      return reading.read();
    } finally {
      rows.unlockRead(stamp);
    }
  }

  /** What decides between plans, for tests that choose what things cost. */
  ReadMeter meter() {
    return meter;
  }

  /** How the region is read, and what that costs. Any thread; does not block. */
  public ReadStatistics reads() {
    return meter.statistics();
  }

  private void requireReadable() throws IOException {
    Optional<String> why = unreadable;
    if (why.isPresent()) {
      throw new IOException(why.get());
    }
  }

  private String betweenTwoStates() {
    return "Region "
        + group
        + " is between two states: a snapshot is being installed, or could not be; if so, open it"
        + " or install again.";
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if the storage is closed
   */
  @Override
  public Position exportSnapshot(Path directory) throws IOException {
    parts.gate().enter();
    administering.lock();
    try {
      if (!wasOpen) {
        throw new IOException("Region " + group + " is not open.");
      }
      return snapshotExport.export(directory);
    } finally {
      administering.unlock();
      parts.gate().leave();
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>If it fails after the old state has begun to go, which takes a failing disk, the region can
   * be neither read nor applied until {@link #open} or another install succeeds.
   *
   * @throws IllegalStateException if the storage is closed
   */
  @Override
  public void install(Path directory, Position position) throws IOException {
    parts.gate().enter();
    administering.lock();
    try {
      MetaRows.InstallMarker staged = snapshotInstall.stage(directory, position);
      installFailed = true;
      exclusively(() -> snapshotInstall.replace(staged));
      durable.set(applier.applied());
      wasOpen = true;
      installFailed = false;
    } finally {
      administering.unlock();
      parts.gate().leave();
    }
  }

  /** Changes the state while it is neither applied nor read, and leaves it closed on failure. */
  private void exclusively(RegionApplier.Change replacement) throws IOException {
    applier.change(
        () -> {
          // First, so that no new reads keep the lock from being free.
          unreadable = Optional.of(betweenTwoStates());
          long stamp = rows.writeLock();
          try {
            replacement.run();
            applier.reload();
            unreadable = Optional.empty();
          } finally {
            rows.unlockWrite(stamp);
          }
        });
  }

  /** Its part in a flush of the whole database. */
  Flusher.Flushable flushable() {
    return new Flusher.Flushable() {
      @Override
      public boolean isAhead() {
        return !applier.applied().equals(durable.get());
      }

      @Override
      public Runnable noteApplied() {
        Position before = durable.get();
        Position applied = applier.applied();
        // An install meanwhile has replaced the state that this position is about.
        return () -> durable.compareAndSet(before, applied);
      }
    };
  }

  /** Stops applying and fails whoever waits. */
  void close() {
    applier.close();
  }
}

package io.quorate.storage;

import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.storage.apply.AppliedState;
import io.quorate.storage.apply.RegionApplier;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.context.Flusher;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.read.RowsGate;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.MetaRows;
import io.quorate.storage.snapshot.SnapshotExport;
import io.quorate.storage.snapshot.SnapshotInstall;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Opens, exports, replaces and removes the state of one region, one at a time, and knows which part
 * of it is durable. Every method blocks, unless stated otherwise.
 */
final class RegionLifecycle {
  private final StorageContext context;
  private final GroupId group;
  private final Keyspace keyspace;
  private final Optional<KeyRange> initial;
  private final AppliedState state;
  private final RegionApplier applier;
  private final RowsGate rows;
  private final SnapshotExport snapshotExport;
  private final SnapshotInstall snapshotInstall;

  /**
   * Set by flushes and installs. A flush compares by identity, so that it does not overwrite the
   * position of a concurrent install.
   */
  private final AtomicReference<Position> durable = new AtomicReference<>(Position.NONE);

  /** Held during open, export and install. */
  private final ReentrantLock adminLock = new ReentrantLock();

  /** Guarded by {@link #adminLock}. */
  private boolean opened;

  /** Whether {@link #durable} may refer to another state; guarded by {@link #adminLock}. */
  private boolean installFailed;

  /**
   * @param initial the keys with which the region begins if there is no base; empty if it then
   *     waits for a snapshot
   */
  RegionLifecycle(
      StorageContext context,
      GroupId group,
      Keyspace keyspace,
      Optional<KeyRange> initial,
      AppliedState state,
      RegionApplier applier,
      RowsGate rows) {
    this.context = context;
    this.group = group;
    this.keyspace = keyspace;
    this.initial = initial;
    this.state = state;
    this.applier = applier;
    this.rows = rows;
    this.snapshotExport = new SnapshotExport(context, group, keyspace);
    this.snapshotInstall = new SnapshotInstall(context, group, keyspace);
  }

  /** See {@link RegionStore#open}. */
  Position open() throws IOException {
    context.closeGuard().enter();
    adminLock.lock();
    try {
      exclusively(
          () -> {
            snapshotInstall.resume();
            begin();
          });
      if (installFailed) {
        context.flusher().flushAndAwait();
      }
      if (!opened || installFailed) {
        // Everything in a newly opened database is durable.
        durable.set(state.position());
      }
      opened = true;
      installFailed = false;
      return durable.get();
    } catch (IOException e) {
      throw reported(e);
    } finally {
      adminLock.unlock();
      context.closeGuard().leave();
    }
  }

  /**
   * Makes the base of the region durable before its group is opened: the log of the group is
   * durable by itself, and would otherwise be replayed on nothing after a crash. For the same
   * reason, a region that was absorbed since this process started, and before its group is opened,
   * is not opened any more.
   */
  private void begin() throws IOException {
    if (!opened && context.ranges().gate(group).isAbsorbed()) {
      throw new OverlappingRangesException(group);
    }
    writeBase();
    if (context.ranges().mayBeUnflushed(group)) {
      context.flusher().flushAndAwait();
      context.ranges().flushed(group);
    }
  }

  /**
   * Writes the base of a region that begins empty, or the state of which a former version has
   * written; does nothing if there is one, or if another region has absorbed this one and has the
   * keys.
   */
  private void writeBase() throws IOException {
    if (initial.isEmpty()
        || context.meta().base(group).isPresent()
        || context.ranges().gate(group).isAbsorbed()) {
      return;
    }
    try (DatabaseBatch batch = context.database().batch()) {
      context
          .meta()
          .putBase(
              batch, group, new MetaRows.Base(keyspace, RegionShape.initial(group, initial.get())));
      context.database().write(batch);
    }
  }

  /** See {@link RegionStore#exportSnapshot}. */
  Position export(Path directory) throws IOException {
    context.closeGuard().enter();
    adminLock.lock();
    try {
      if (!opened) {
        throw new IOException("Region " + group + " is not open.");
      }
      return snapshotExport.export(directory);
    } catch (IOException e) {
      throw reported(e);
    } finally {
      adminLock.unlock();
      context.closeGuard().leave();
    }
  }

  /** See {@link RegionStore#install}. */
  void install(Path directory, Position position) throws IOException {
    context.closeGuard().enter();
    adminLock.lock();
    try {
      MetaRows.InstallMarker staged = snapshotInstall.stage(directory, position);
      installFailed = true;
      exclusively(() -> snapshotInstall.replace(staged));
      durable.set(state.position());
      opened = true;
      installFailed = false;
    } catch (IOException e) {
      throw reported(e);
    } finally {
      adminLock.unlock();
      context.closeGuard().leave();
    }
  }

  /** See {@link Storage#remove}. */
  void remove() throws IOException {
    context.closeGuard().enter();
    adminLock.lock();
    try {
      applier.close();
      applier.change(
          () ->
              rows.replace(
                  () -> {
                    // The range of a state of a former version, which has no base.
                    writeBase();
                    snapshotInstall.remove();
                    return Optional.of(RowsGate.NOT_OPEN);
                  }));
    } catch (IOException e) {
      throw reported(e);
    } finally {
      adminLock.unlock();
      context.closeGuard().leave();
    }
  }

  /** Changes the state while it is neither applied nor read; a failure leaves it unreadable. */
  private void exclusively(RegionApplier.Change replacement) throws IOException {
    applier.change(
        () ->
            rows.replace(
                () -> {
                  replacement.run();
                  return applier.reload()
                      ? Optional.empty()
                      : Optional.of("Region " + group + " has no state yet.");
                }));
  }

  /** Damage that is met here is damage of the node, as if a client had read the rows. */
  private IOException reported(IOException failure) {
    context.failures().unreadable(group, failure);
    return failure;
  }

  /** The position up to which the state is durable. Does not block. */
  Position durable() {
    return durable.get();
  }

  /** The region's part in a flush of the whole database. */
  Flusher.Flushable flushable() {
    return new Flusher.Flushable() {
      @Override
      public boolean hasUnflushed() {
        return !state.position().equals(durable.get());
      }

      @Override
      public Runnable captureApplied() {
        Position before = durable.get();
        Position applied = state.position();
        // Fails if an install has replaced the state meanwhile, to which this position does not
        // apply.
        return () -> durable.compareAndSet(before, applied);
      }
    };
  }
}

package io.quorate.storage.garbage;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.command.RowFormat;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.read.RowsGate;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.NativeScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.rocksdb.Snapshot;

/**
 * Removes the bodies of one region to which its rows do not refer. One thread.
 *
 * <p>A body is removed if one state of the region settles it and has no reference to it, and that
 * state is durable. This is safe:
 *
 * <ul>
 *   <li>No later state refers to it: that takes a command that refers to it, and the {@linkplain
 *       BodyHorizon horizon} excludes those. The horizon is read before the snapshot of the rows,
 *       so it is that of the same state or of an earlier one, and what it settles stays settled.
 *   <li>The reference does not return after a crash: the log is replayed from the durable position
 *       on, which is not before that state. A snapshot that is installed may be older and refer to
 *       the body again, but the log that follows it takes the reference back before the region
 *       serves reads.
 *   <li>A body that is being added again, for example by a delayed message, is garbage as before.
 * </ul>
 *
 * <p>The rows are not read while a snapshot is being installed, when they are incomplete.
 */
public final class RegionSweep {
  private final StorageContext context;
  private final RowsGate gate;
  private final GroupId group;
  private final Supplier<KeyRange> range;
  private final Family family;
  private final Supplier<BodyHorizon> horizon;

  /** The horizon at the last search, and the settled bodies that were left then. */
  private BodyHorizon searched = BodyHorizon.NONE;

  private Set<BodyId> left = Set.of();

  /** The keys of the region at the last search; empty before the first. */
  private volatile Optional<KeyRange> searchedRange = Optional.empty();

  /**
   * @param gate admits readers of the region's rows
   * @param range returns the keys of the region
   * @param horizon returns the horizon of a state that is in the database
   */
  public RegionSweep(
      StorageContext context,
      RowsGate gate,
      GroupId group,
      Supplier<KeyRange> range,
      Family family,
      Supplier<BodyHorizon> horizon) {
    this.context = context;
    this.gate = gate;
    this.group = group;
    this.range = range;
    this.family = family;
    this.horizon = horizon;
  }

  /** The state of the rows in which garbage is searched. */
  private record State(BodyHorizon horizon, Snapshot rows) {}

  /**
   * Removes the garbage. Does nothing if neither the state has advanced nor bodies were added since
   * the last call. Blocks: reads all rows of the region, and then waits for a flush.
   *
   * @param cancelled whether to give up, polled for each row
   * @return the number of removed bodies
   * @throws IOException if rows cannot be read, or not be made durable; nothing was removed, and
   *     the next call tries again
   * @throws IllegalStateException if the storage is closed
   */
  public int run(BodyStore bodies, BooleanSupplier cancelled) throws IOException {
    KeyRange present = range.get();
    if (!isDue(bodies)) {
      searchedRange = Optional.of(present);
      return 0;
    }
    context.closeGuard().enter();
    try (NativeScope scope = context.database().child("body sweep")) {
      State state = state(scope);
      Set<BodyId> settled = settled(bodies, state.horizon());
      Optional<Set<BodyId>> referenced = referenced(scope, state.rows(), cancelled);
      if (referenced.isEmpty()) {
        return 0;
      }
      List<BodyId> garbage =
          settled.stream().filter(body -> !referenced.get().contains(body)).toList();
      if (!garbage.isEmpty()) {
        context.flusher().flushAndAwait();
        bodies.remove(garbage);
      }
      settled.retainAll(referenced.get());
      left = settled;
      searched = state.horizon();
      searchedRange = Optional.of(present);
      return garbage.size();
    } finally {
      context.closeGuard().leave();
    }
  }

  /**
   * Whether garbage was searched for since the region had other keys. If not, its bodies include
   * those that it left to another region when it split, or that it did not need when it began. Any
   * thread.
   */
  public boolean hasSearched() {
    return searchedRange.equals(Optional.of(range.get()));
  }

  private boolean isDue(BodyStore bodies) {
    BodyHorizon now = horizon.get();
    Set<BodyId> settled = settled(bodies, now);
    return !settled.isEmpty() && !(now.equals(searched) && left.containsAll(settled));
  }

  private Set<BodyId> settled(BodyStore bodies, BodyHorizon at) {
    return bodies.bodiesOf(group).stream()
        .filter(at::settles)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private State state(NativeScope scope) throws IOException {
    try {
      return gate.reading(
          () -> {
            // The horizon first: the rows may be newer, but not older.
            BodyHorizon before = horizon.get();
            StoragePoints.SWEEP_BEGUN.reached(group);
            return new State(before, context.database().snapshot(scope));
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** The bodies to which rows refer; empty if cancelled. */
  private Optional<Set<BodyId>> referenced(
      NativeScope scope, Snapshot rows, BooleanSupplier cancelled) throws IOException {
    Set<BodyId> referenced = new HashSet<>();
    KeyRange all = range.get();
    Database.Cursor cursor =
        context
            .database()
            .copyCursor(scope, family, all.start().bytes(), all.end().map(Key::bytes), rows);
    for (; cursor.isAtRow(); cursor.next()) {
      if (cancelled.getAsBoolean()) {
        return Optional.empty();
      }
      ByteBuffer row = ByteBuffer.wrap(cursor.value());
      if (RowFormat.TYPED.isBody(row)
          && RowFormat.TYPED.stored(row) instanceof StoredValue.Body body) {
        referenced.add(body.reference().in(group));
      }
    }
    return Optional.of(referenced);
  }
}

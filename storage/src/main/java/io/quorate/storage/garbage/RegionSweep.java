package io.quorate.storage.garbage;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
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
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Removes the bodies of one region to which its rows do not refer. One thread.
 *
 * <p>A body is removed if one state of the region settles it, no row refers to it that was read
 * afterwards, and what was read is durable. This is safe:
 *
 * <ul>
 *   <li>No later state refers to it: that takes a command that refers to it, and the {@linkplain
 *       BodyHorizon horizon} excludes those. It is read before any row, so it is that of the state
 *       of the first rows or of an earlier one, and what it settles stays settled.
 *   <li>So the rows are read in pages, each as of a time of its own. A row that refers to a settled
 *       body at the end did so all the time, and its page has it. What is overwritten meanwhile is
 *       found by the next search. Only an install may replace rows by older ones: the search ends.
 *   <li>The reference does not return after a crash: the log is replayed from the durable position
 *       on, which is not before that state. A snapshot that is installed may be older and refer to
 *       the body again, but the log that follows it takes the reference back before the region
 *       serves reads.
 *   <li>A body that is being added again, for example by a delayed message, is garbage as before.
 * </ul>
 *
 * <p>Between two pages no iterator is open, which would keep overwritten rows on the disk. The rows
 * are not read while a snapshot is being installed, when they are incomplete.
 */
public final class RegionSweep {
  /**
   * How much is in memory, and read without a break.
   *
   * @param bodies maximum number of bodies for which the rows are searched; they are read again for
   *     further ones
   * @param rows maximum number of rows in a page
   */
  public record Pages(int bodies, int rows) {
    /** Bodies of 2.1 MB of heap. */
    public static final Pages DEFAULT = new Pages(1 << 17, 1024);

    private static final int BYTES_MAX = 4 << 20;
  }

  private final StorageContext context;
  private final RowsGate gate;
  private final GroupId group;
  private final Supplier<KeyRange> range;
  private final Family family;
  private final Supplier<BodyHorizon> horizon;

  /** The horizon at the last search, and how many bodies had been added before. */
  private BodyHorizon searched = BodyHorizon.NONE;

  private long searchedAdded = -1;

  /** The keys of the region at the last search; empty before the first. */
  private volatile Optional<KeyRange> searchedRange = Optional.empty();

  /**
   * @param gate admits readers of the region's rows
   * @param range returns the keys of the region as of the state that is in the database
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

  /**
   * What a search began with.
   *
   * @param replacements how often the rows had been replaced
   */
  private record Begin(BodyHorizon horizon, long replacements) {}

  /** As {@link #run(BodyStore, BooleanSupplier, Pages)}, with pages of the default size. */
  public int run(BodyStore bodies, BooleanSupplier cancelled) throws IOException {
    return run(bodies, cancelled, Pages.DEFAULT);
  }

  /**
   * Removes the garbage. Does nothing if neither the state has advanced nor bodies were added since
   * the last call. Blocks: reads all rows of the region, and then waits for a flush.
   *
   * @param cancelled whether to give up, polled for each page
   * @return the number of removed bodies
   * @throws IOException if rows cannot be read, or not be made durable, or were replaced by a
   *     snapshot; the next call tries again
   * @throws IllegalStateException if the storage is closed
   */
  public int run(BodyStore bodies, BooleanSupplier cancelled, Pages pages) throws IOException {
    KeyRange present = range.get();
    if (!isDue(bodies)) {
      searchedRange = Optional.of(present);
      return 0;
    }
    context.closeGuard().enter();
    try {
      long added = bodies.addedTo(group);
      Begin begin = reading(this::begin);
      int removed = 0;
      SettledBodies some = SettledBodies.first(bodies, group, begin.horizon(), pages.bodies());
      while (!some.isEmpty()) {
        if (!findReferences(some, begin, pages, cancelled)) {
          return removed;
        }
        removed += removeGarbage(bodies, some, begin);
        some = some.next(bodies, begin.horizon());
      }
      searched = begin.horizon();
      searchedAdded = added;
      searchedRange = Optional.of(present);
      return removed;
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
    // The settled ones come first.
    return bodies.first(group, 1).stream().anyMatch(now::settles)
        && !(now.equals(searched) && bodies.addedTo(group) == searchedAdded);
  }

  private <T> T reading(RowsGate.Reading<T> reading) throws IOException {
    try {
      return gate.reading(reading);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private Begin begin() throws IOException {
    // Before any row: rows may be newer, but not older.
    Begin begin = new Begin(horizon.get(), gate.replacements());
    StoragePoints.SWEEP_BEGUN.reached(group);
    return begin;
  }

  /**
   * Finds to which bodies rows refer.
   *
   * @return false if cancelled
   */
  private boolean findReferences(
      SettledBodies bodies, Begin begin, Pages pages, BooleanSupplier cancelled)
      throws IOException {
    Optional<Key> from = Optional.of(range.get().start());
    while (from.isPresent()) {
      if (cancelled.getAsBoolean()) {
        return false;
      }
      Key first = from.get();
      from = reading(() -> readPage(bodies, begin, pages, first));
      StoragePoints.SWEEP_PAGE.reached(group);
    }
    return true;
  }

  /** Returns the key at which the next page begins; empty if there is none. */
  private Optional<Key> readPage(SettledBodies bodies, Begin begin, Pages pages, Key first)
      throws IOException {
    requireSame(begin);
    Optional<byte[]> end = range.get().end().map(Key::bytes);
    try (NativeScope scope = context.database().child("body sweep")) {
      Database.Cursor cursor =
          context.database().copyCursor(scope, family, first.bytes(), end, Optional.empty());
      long bytes = 0;
      for (int rows = 0; cursor.isAtRow(); rows++) {
        if (rows >= pages.rows() || bytes >= Pages.BYTES_MAX) {
          return Optional.of(Key.wrap(cursor.key()));
        }
        ByteBuffer row = ByteBuffer.wrap(cursor.value());
        bytes += row.remaining();
        if (RowFormat.TYPED.isBody(row)
            && RowFormat.TYPED.stored(row) instanceof StoredValue.Body body) {
          bodies.refer(body.reference());
        }
        cursor.next();
      }
      return Optional.empty();
    }
  }

  private void requireSame(Begin begin) throws IOException {
    if (gate.replacements() != begin.replacements()) {
      throw new IOException(
          "The rows of region " + group + " were replaced by a snapshot while they were read.");
    }
  }

  private int removeGarbage(BodyStore bodies, SettledBodies some, Begin begin) throws IOException {
    int garbage = some.garbage();
    if (garbage > 0) {
      context.flusher().flushAndAwait();
      reading(
          () -> {
            requireSame(begin);
            return garbage;
          });
      // Awaited, so that few removals are queued. If one fails, the body returns with the next
      // start.
      some.visitGarbage(part -> bodies.remove(part).exceptionally(failure -> null).join());
    }
    return garbage;
  }
}

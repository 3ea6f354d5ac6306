package io.quorate.storage.read;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.command.PendingVersions;
import io.quorate.storage.context.ApplyBackpressure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Committed changes that may not be in the database yet, by key and in key order. It contains only
 * changes that are committed and take effect (B4, B5). {@link ApplyBackpressure} bounds it in
 * changes and bytes.
 *
 * <p>One thread adds changes in the order of their positions; any thread reads them. A change is
 * removed only after the database contains it. So a reader that reads the overlay first and then
 * takes a database snapshot sees every change: changes that were removed earlier are in the
 * snapshot. A scan reads the overlay for longer and {@linkplain #pin pins} it meanwhile.
 */
public final class Overlay {
  /** Approximate size of an index entry in bytes, without its key. */
  static final int CHANGE_BYTES = 192;

  /** The changed keys of one batch; a key that was changed twice occurs twice. */
  private record AddedBatch(Position at, List<Key> keys, long bytes) {}

  private final ConcurrentNavigableMap<Key, PendingVersions> keys = new ConcurrentSkipListMap<>();
  private final ApplyBackpressure backpressure;

  private volatile Position upTo = Position.NONE;

  /** Batches to be removed, the oldest first; guarded by this. */
  private final Deque<AddedBatch> added = new ArrayDeque<>();

  /** Number of scans that need the changes beyond a position; guarded by this. */
  private final NavigableMap<Position, Integer> pins = new TreeMap<>();

  /** Guarded by this. */
  private Position applied = Position.NONE;

  /**
   * @param changesMax number of changes at which {@link #add} applies back-pressure
   * @param bytesMax size in bytes at which {@link #add} applies back-pressure
   */
  public Overlay(int changesMax, long bytesMax) {
    this.backpressure = new ApplyBackpressure(changesMax, bytesMax);
  }

  /** Position up to which the overlay contains every change that the database does not. */
  public Position upTo() {
    return upTo;
  }

  /** Number of changes. */
  public long changes() {
    return backpressure.count();
  }

  /** Size of the changes in bytes, with the index over them. */
  public long bytes() {
    return backpressure.bytes();
  }

  /**
   * Adds the changes of one batch, which become visible together.
   *
   * @param at the batch's position, beyond {@link #upTo}
   * @param changes in order; may be empty
   * @param commandBytes size of the batch's commands, which the changes refer to
   * @return completes when there is capacity for another batch; fails when closed
   */
  public CompletionStage<Void> add(Position at, List<Operation.OnKey> changes, long commandBytes) {
    List<Key> changed = new ArrayList<>(changes.size());
    long bytes = changes.isEmpty() ? 0 : commandBytes;
    for (Operation.OnKey change : changes) {
      keys.compute(
          change.key(),
          (key, before) ->
              before == null ? PendingVersions.first(at, change) : before.append(at, change));
      changed.add(change.key());
      bytes += CHANGE_BYTES + change.key().size();
    }
    if (!changed.isEmpty()) {
      synchronized (this) {
        added.add(new AddedBatch(at, changed, bytes));
      }
    }
    CompletionStage<Void> next = backpressure.acquire(changed.size(), bytes);
    // Readers use positions up to here only after this write.
    upTo = at;
    return next;
  }

  /** The changes to a key. Some may be beyond {@link #upTo}, or already in the database. */
  Optional<PendingVersions> changes(Key key) {
    return Optional.ofNullable(keys.get(key));
  }

  /** Removes changes that the database contains, unless a scan needs them. */
  public void applied(Position position) {
    synchronized (this) {
      applied = position;
    }
    trim();
  }

  private void trim() {
    List<AddedBatch> removed = new ArrayList<>();
    Position limit;
    synchronized (this) {
      limit = pins.isEmpty() ? applied : pins.firstKey();
      while (!added.isEmpty() && limit.covers(added.peek().at())) {
        removed.add(added.remove());
      }
    }
    long changes = 0;
    long bytes = 0;
    // Each key once, however often it was changed: newerThan() visits all its remaining versions.
    Set<Key> changed = new HashSet<>();
    for (AddedBatch batch : removed) {
      changed.addAll(batch.keys());
      changes += batch.keys().size();
      bytes += batch.bytes();
    }
    for (Key key : changed) {
      keys.computeIfPresent(key, (same, before) -> before.newerThan(limit).orElse(null));
    }
    if (!removed.isEmpty()) {
      backpressure.release(changes, bytes);
    }
  }

  /** Restarts without changes from a new state. No read may be running. */
  public void restart(Position state) {
    long changes = 0;
    long bytes = 0;
    synchronized (this) {
      for (AddedBatch batch : added) {
        changes += batch.keys().size();
        bytes += batch.bytes();
      }
      added.clear();
      applied = state;
    }
    keys.clear();
    upTo = state;
    backpressure.release(changes, bytes);
  }

  /** Fails callers that wait for capacity, and later calls of {@link #add}. */
  public void close() {
    backpressure.close();
  }

  /**
   * Keeps every change that is not in the database now, and every later one, until the pin is
   * closed. The caller takes its database snapshot after this call.
   */
  Pin pin() {
    synchronized (this) {
      pins.merge(applied, 1, Integer::sum);
      return new Pin(applied, upTo);
    }
  }

  /** A scan's view of the overlay. One thread. */
  final class Pin implements AutoCloseable {
    private final Position from;
    private final Position to;

    private Pin(Position from, Position to) {
      this.from = from;
      this.to = to;
    }

    /** The database contains every change up to here, and possibly later ones. */
    Position from() {
      return from;
    }

    /** Position up to which the overlay's changes are complete. */
    Position upTo() {
      return to;
    }

    /**
     * The changed keys of a range, in the given order. Their changes may include ones outside
     * ({@link #from}, {@link #upTo}].
     */
    Iterator<Map.Entry<Key, PendingVersions>> changes(KeyRange range, ScanOrder order) {
      ConcurrentNavigableMap<Key, PendingVersions> changed =
          range.end().isPresent()
              ? keys.subMap(range.start(), range.end().get())
              : keys.tailMap(range.start());
      return switch (order) {
        case FORWARD -> changed.entrySet().iterator();
        case REVERSE -> changed.descendingMap().entrySet().iterator();
      };
    }

    @Override
    public void close() {
      synchronized (Overlay.this) {
        pins.computeIfPresent(from, (same, count) -> count == 1 ? null : count - 1);
      }
      trim();
    }
  }
}

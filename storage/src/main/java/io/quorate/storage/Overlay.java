package io.quorate.storage;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.operation.Operation;
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
 * Committed changes that the database may not have yet, by key and in key order. Only what is
 * committed and takes effect is ever in it (PROTOCOLS B4, B5). Bounded in changes and bytes by the
 * {@link Room} that it asks for.
 *
 * <p>Changes are added by one thread, in the order of their positions, and seen by any. They leave
 * only after the database has them. So whoever looks at the overlay first and takes a view of the
 * database afterwards has, between the two, every change: those that had left before are in the
 * view. A scan looks for longer and {@linkplain #pin pins} the overlay meanwhile.
 */
final class Overlay {
  /** What an entry of the index takes besides its key, roughly. */
  static final int CHANGE_BYTES = 192;

  /** The keys that one batch changed, once for each change. */
  private record Added(Position at, List<Key> keys, long bytes) {}

  private final ConcurrentNavigableMap<Key, Changes> keys = new ConcurrentSkipListMap<>();
  private final Room room;

  private volatile Position upTo = Position.NONE;

  /** What is to leave, the oldest first; guarded by this. */
  private final Deque<Added> added = new ArrayDeque<>();

  /** How many scans need what lies beyond a position; guarded by this. */
  private final NavigableMap<Position, Integer> pins = new TreeMap<>();

  /** Guarded by this. */
  private Position applied = Position.NONE;

  /**
   * @param changesMost changes held before whoever adds them is asked to wait
   * @param bytesMost the same in bytes
   */
  Overlay(int changesMost, long bytesMost) {
    this.room = new Room(changesMost, bytesMost);
  }

  /** Up to where it has every change beyond what the database has. */
  Position upTo() {
    return upTo;
  }

  long changes() {
    return room.count();
  }

  long bytes() {
    return room.bytes();
  }

  /**
   * Adds the changes of one batch, which are seen together.
   *
   * @param at beyond {@link #upTo}
   * @param changes in their order; may be empty
   * @param commandBytes what the batch's commands take, which the changes refer to
   * @return completes when there is room for another batch; fails when closed
   */
  CompletionStage<Void> add(Position at, List<Operation.OnKey> changes, long commandBytes) {
    List<Key> changed = new ArrayList<>(changes.size());
    long bytes = changes.isEmpty() ? 0 : commandBytes;
    for (Operation.OnKey change : changes) {
      keys.compute(
          change.key(),
          (key, before) -> before == null ? Changes.first(at, change) : before.and(at, change));
      changed.add(change.key());
      bytes += CHANGE_BYTES + change.key().size();
    }
    if (!changed.isEmpty()) {
      synchronized (this) {
        added.add(new Added(at, changed, bytes));
      }
    }
    CompletionStage<Void> next = room.take(changed.size(), bytes);
    // Only now does anybody look at positions up to here.
    upTo = at;
    return next;
  }

  /** The changes to a key. Some may lie beyond {@link #upTo}, or be in the database by now. */
  Optional<Changes> changes(Key key) {
    return Optional.ofNullable(keys.get(key));
  }

  /** Lets changes leave that the database has, as far as no scan needs them. */
  void applied(Position position) {
    synchronized (this) {
      applied = position;
    }
    trim();
  }

  private void trim() {
    List<Added> gone = new ArrayList<>();
    Position limit;
    synchronized (this) {
      limit = pins.isEmpty() ? applied : pins.firstKey();
      while (!added.isEmpty() && limit.covers(added.peek().at())) {
        gone.add(added.remove());
      }
    }
    long changes = 0;
    long bytes = 0;
    // Each key once, however often it was changed: cutting goes through all that is left of it.
    Set<Key> changed = new HashSet<>();
    for (Added batch : gone) {
      changed.addAll(batch.keys());
      changes += batch.keys().size();
      bytes += batch.bytes();
    }
    for (Key key : changed) {
      keys.computeIfPresent(key, (same, before) -> before.beyond(limit).orElse(null));
    }
    if (!gone.isEmpty()) {
      room.giveBack(changes, bytes);
    }
  }

  /** Begins anew over a state, without changes. Nobody may be reading. */
  void restart(Position state) {
    long changes = 0;
    long bytes = 0;
    synchronized (this) {
      for (Added batch : added) {
        changes += batch.keys().size();
        bytes += batch.bytes();
      }
      added.clear();
      applied = state;
    }
    keys.clear();
    upTo = state;
    room.giveBack(changes, bytes);
  }

  void close() {
    room.close();
  }

  /**
   * Keeps every change that the database does not have at this moment, and those that come, until
   * the pin is closed. A view of the database is to be taken after this.
   */
  Pin pin() {
    synchronized (this) {
      pins.merge(applied, 1, Integer::sum);
      return new Pin(applied, upTo);
    }
  }

  /** What a scan sees of the overlay. One thread. */
  final class Pin implements AutoCloseable {
    private final Position from;
    private final Position to;

    private Pin(Position from, Position to) {
      this.from = from;
      this.to = to;
    }

    /** What the database has at least. */
    Position from() {
      return from;
    }

    /** Up to where its changes are complete. */
    Position upTo() {
      return to;
    }

    /** The changed keys of a range in their order; some of their changes may be too old or new. */
    Iterator<Map.Entry<Key, Changes>> changes(KeyRange range) {
      return (range.end().isPresent()
              ? keys.subMap(range.start(), range.end().get())
              : keys.tailMap(range.start()))
          .entrySet()
          .iterator();
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

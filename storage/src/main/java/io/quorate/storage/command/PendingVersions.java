package io.quorate.storage.command;

import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The committed changes to one key, at least one, in log order. Immutable, except that it caches
 * the value after a change once a read has computed it. Committed changes determine that value
 * permanently, whatever state a later read starts from. So the next read executes only the changes
 * since then, however many are pending.
 */
public final class PendingVersions {
  /**
   * Maximum size of a cached value: enough for numbers, and no more than an index entry of a
   * change. Longer values would be memory that the bounds of the overlay do not count.
   */
  private static final int CACHED_BYTES_MAX = 128;

  /** A known value; empty if the key has none. */
  record KnownValue(Optional<ByteBuffer> value) {}

  private final Position at;
  private final Operation.OnKey operation;

  /** The version before; null at the oldest. */
  private final PendingVersions older;

  /** The value after this change; null until it is known. */
  private volatile KnownValue valueAfter;

  private PendingVersions(Position at, Operation.OnKey operation, PendingVersions older) {
    this.at = at;
    this.operation = operation;
    this.older = older;
  }

  /** The first committed change to a key. */
  public static PendingVersions first(Position at, Operation.OnKey operation) {
    return new PendingVersions(at, operation, null);
  }

  /** These versions and a newer one. */
  public PendingVersions append(Position newer, Operation.OnKey change) {
    return new PendingVersions(newer, change, this);
  }

  /** Position of the newest version. */
  Position at() {
    return at;
  }

  /** Caches the value after the newest version, unless it is too long. */
  void cacheValue(Optional<ByteBuffer> value) {
    if (value.isEmpty() || value.get().remaining() <= CACHED_BYTES_MAX) {
      valueAfter = new KnownValue(value);
    }
  }

  /** The versions beyond a position; empty if there are none. */
  public Optional<PendingVersions> newerThan(Position position) {
    List<PendingVersions> kept = new ArrayList<>();
    PendingVersions each = this;
    for (; each != null && !position.covers(each.at); each = each.older) {
      kept.add(each);
    }
    if (each == null) {
      return Optional.of(this);
    }
    PendingVersions rebuilt = null;
    for (int i = kept.size() - 1; i >= 0; i--) {
      rebuilt = new PendingVersions(kept.get(i).at, kept.get(i).operation, rebuilt);
      rebuilt.valueAfter = kept.get(i).valueAfter;
    }
    return Optional.ofNullable(rebuilt);
  }

  /**
   * The changes in {@code (from, to]} as a chain to apply to the value at {@code from}; empty if
   * there are none. Searches from the newest to the oldest change and stops at one whose resulting
   * value is cached or independent of the value before.
   */
  public Optional<MergeChain> between(Position from, Position to) {
    PendingVersions newest = this;
    while (newest != null && !to.covers(newest.at)) {
      newest = newest.older;
    }
    if (newest == null || from.covers(newest.at)) {
      return Optional.empty();
    }
    Deque<Operation.OnKey> operations = new ArrayDeque<>();
    for (PendingVersions each = newest; each != null && !from.covers(each.at); each = each.older) {
      KnownValue known = each.valueAfter;
      if (known != null) {
        return Optional.of(new MergeChain(Optional.of(known), operations, newest));
      }
      operations.addFirst(each.operation);
      if (MergeChain.ignoresValue(each.operation)) {
        break;
      }
    }
    return Optional.of(new MergeChain(Optional.empty(), operations, newest));
  }
}

package io.quorate.storage;

import io.quorate.consensus.Position;
import io.quorate.operation.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The committed changes to one key, at least one, in the order of the log. Immutable, except that
 * it remembers the value after a change once a read has worked it out: what is committed decides
 * that value for good, whatever state a later read starts from. So the next read carries out only
 * what has come since, however many changes wait.
 */
final class Changes {
  /**
   * Longest value that is remembered: numbers, and no more than the index over a change takes
   * anyway. Longer ones would be memory that nobody has counted.
   */
  private static final int REMEMBERED_BYTES_MOST = 128;

  /** A value, or that there is none. */
  record Known(Optional<ByteBuffer> value) {}

  private final Position at;
  private final Operation.OnKey operation;

  /** What came before; null at the oldest. */
  private final Changes older;

  /** The value after this change; null until it is known. */
  private volatile Known after;

  private Changes(Position at, Operation.OnKey operation, Changes older) {
    this.at = at;
    this.operation = operation;
    this.older = older;
  }

  static Changes first(Position at, Operation.OnKey operation) {
    return new Changes(at, operation, null);
  }

  /** These and a newer one. */
  Changes and(Position newer, Operation.OnKey change) {
    return new Changes(newer, change, this);
  }

  /** The newest one's position. */
  Position at() {
    return at;
  }

  /** Notes the value after the newest of these. */
  void remember(Optional<ByteBuffer> value) {
    if (value.isEmpty() || value.get().remaining() <= REMEMBERED_BYTES_MOST) {
      after = new Known(value);
    }
  }

  /** Those beyond a position; empty if there are none. */
  Optional<Changes> beyond(Position position) {
    List<Changes> left = new ArrayList<>();
    Changes each = this;
    for (; each != null && !position.covers(each.at); each = each.older) {
      left.add(each);
    }
    if (each == null) {
      return Optional.of(this);
    }
    Changes rebuilt = null;
    for (int i = left.size() - 1; i >= 0; i--) {
      rebuilt = new Changes(left.get(i).at, left.get(i).operation, rebuilt);
      rebuilt.after = left.get(i).after;
    }
    return Optional.ofNullable(rebuilt);
  }

  /**
   * What the changes in {@code (from, to]} make of the value at {@code from}; empty if there is
   * none. Looks from the newest to the oldest, and no further back than to one after which the
   * value is known, or which sets it whatever it was.
   */
  Optional<Fold> between(Position from, Position to) {
    Changes newest = this;
    while (newest != null && !to.covers(newest.at)) {
      newest = newest.older;
    }
    if (newest == null || from.covers(newest.at)) {
      return Optional.empty();
    }
    Deque<Operation.OnKey> operations = new ArrayDeque<>();
    for (Changes each = newest; each != null && !from.covers(each.at); each = each.older) {
      Known known = each.after;
      if (known != null) {
        return Optional.of(new Fold(Optional.of(known), operations, newest));
      }
      operations.addFirst(each.operation);
      if (Fold.ignoresValue(each.operation)) {
        break;
      }
    }
    return Optional.of(new Fold(Optional.empty(), operations, newest));
  }
}

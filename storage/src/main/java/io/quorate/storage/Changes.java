package io.quorate.storage;

import io.quorate.consensus.Position;
import io.quorate.operation.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The committed changes to one key, at least one, in the order of the log. Immutable. */
final class Changes {
  private final Position at;
  private final Operation.OnKey operation;

  /** What came before; null at the oldest. */
  private final Changes older;

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
    }
    return Optional.ofNullable(rebuilt);
  }

  /**
   * What the changes in {@code (from, to]} make of the value at {@code from}; empty if there is
   * none. Looks from the newest to the oldest, and no further back than the last one that sets the
   * value whatever it was.
   */
  Optional<Fold> between(Position from, Position to) {
    Deque<Operation.OnKey> operations = new ArrayDeque<>();
    for (Changes each = this; each != null && !from.covers(each.at); each = each.older) {
      if (to.covers(each.at)) {
        operations.addFirst(each.operation);
        if (Fold.ignoresValue(each.operation)) {
          break;
        }
      }
    }
    return operations.isEmpty() ? Optional.empty() : Optional.of(new Fold(List.copyOf(operations)));
  }
}

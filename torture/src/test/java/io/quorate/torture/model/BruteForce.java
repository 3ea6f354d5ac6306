package io.quorate.torture.model;

import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tries every order that respects real time, with and without each indeterminate operation; for
 * small histories only. Its one optimization is not to enter a pair of completed operations and
 * rows twice.
 */
public final class BruteForce {
  private static final int OPERATIONS_MAX = 16;

  private record Visited(int done, Map<String, String> rows) {}

  private final List<Operation> operations;
  private final Set<Visited> visited = new HashSet<>();

  private BruteForce(History history) {
    operations =
        history.operations().stream()
            .filter(operation -> !(operation.outcome() instanceof Outcome.Failed))
            .toList();
    if (operations.size() > OPERATIONS_MAX) {
      throw new IllegalArgumentException(
          "At most " + OPERATIONS_MAX + " operations can be tried, not " + operations.size());
    }
  }

  public static boolean isLinearizable(History history) {
    return new BruteForce(history).canComplete(0, new SequentialModel());
  }

  private boolean canComplete(int done, SequentialModel model) {
    if (allAcknowledged(done)) {
      return true;
    }
    if (!visited.add(new Visited(done, model.rows()))) {
      return false;
    }
    for (int i = 0; i < operations.size(); i++) {
      if ((done >> i & 1) == 0 && mayBeNext(i, done)) {
        SequentialModel next = model.copy();
        if (accepts(operations.get(i), next) && canComplete(done | 1 << i, next)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean allAcknowledged(int done) {
    for (int i = 0; i < operations.size(); i++) {
      if ((done >> i & 1) == 0 && isAcknowledged(operations.get(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether no acknowledged operation that is still to be placed had completed before the candidate
   * was invoked.
   */
  private boolean mayBeNext(int candidate, int done) {
    for (int i = 0; i < operations.size(); i++) {
      Operation other = operations.get(i);
      if ((done >> i & 1) == 0
          && isAcknowledged(other)
          && other.completedNanos() < operations.get(candidate).invokedNanos()) {
        return false;
      }
    }
    return true;
  }

  private static boolean accepts(Operation operation, SequentialModel model) {
    return operation.outcome() instanceof Outcome.Ok ok
        ? model.apply(operation.action()).equals(ok.result())
        : model.apply(operation.action()) != null;
  }

  private static boolean isAcknowledged(Operation operation) {
    return operation.outcome() instanceof Outcome.Ok;
  }
}

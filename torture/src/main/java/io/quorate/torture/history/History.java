package io.quorate.torture.history;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Operations of clients on a database that was empty when the first one was invoked.
 *
 * @param operations in order of invocation
 */
public record History(List<Operation> operations) {
  public History {
    operations =
        operations.stream()
            .sorted(
                Comparator.comparingLong(Operation::invokedNanos).thenComparingLong(Operation::id))
            .toList();
    Set<Long> ids = new HashSet<>();
    for (Operation operation : operations) {
      if (!ids.add(operation.id())) {
        throw new IllegalArgumentException(
            "A history has one operation of each id; this one has several " + operation.id());
      }
    }
  }

  public static History of(Operation... operations) {
    return new History(List.of(operations));
  }

  public int size() {
    return operations.size();
  }
}

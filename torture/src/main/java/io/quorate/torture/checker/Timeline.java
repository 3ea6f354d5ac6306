package io.quorate.torture.checker;

import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Draws operations as bars on a common time axis. */
final class Timeline {
  private static final int COLUMNS = 32;

  private final long first;
  private final long last;

  Timeline(Collection<Operation> some, Collection<Operation> others) {
    // Operations that may take effect long after their invocation would compress all others.
    List<Operation> shown =
        Stream.concat(some.stream(), others.stream())
            .filter(operation -> operation.outcome() instanceof Outcome.Ok)
            .toList();
    first = shown.stream().mapToLong(Operation::invokedNanos).min().orElse(0);
    last = shown.stream().mapToLong(Operation::completedNanos).max().orElse(0);
  }

  /**
   * One line with the bar, the operation and a remark. The bar of an indeterminate operation ends
   * with an arrow.
   */
  String line(Operation operation, String remark) {
    int from = column(operation.invokedNanos());
    int to = column(operation.completedNanos());
    StringBuilder bar = new StringBuilder(" ".repeat(COLUMNS));
    for (int column = from; column <= to; column++) {
      bar.setCharAt(column, '=');
    }
    if (operation.outcome() instanceof Outcome.Indeterminate) {
      bar.setCharAt(to, '>');
    }
    String line = "  |" + bar + "| client " + operation.client() + " " + operation;
    return line + (remark.isEmpty() ? "\n" : " (" + remark + ")\n");
  }

  private int column(long nanos) {
    double part = (nanos - first) / Math.max(1.0, (double) last - first);
    return (int) Math.min(COLUMNS - 1, Math.max(0, part * COLUMNS));
  }
}

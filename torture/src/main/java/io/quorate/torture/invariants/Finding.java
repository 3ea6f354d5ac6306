package io.quorate.torture.invariants;

import io.quorate.torture.history.Operation;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A violated invariant.
 *
 * @param what the violation
 * @param operations the operations that show it
 */
public record Finding(String key, String what, List<Operation> operations) {
  public Finding {
    operations = List.copyOf(operations);
  }

  static Finding of(String key, String what, Operation... operations) {
    return new Finding(key, what, List.of(operations));
  }

  @Override
  public String toString() {
    return "Key "
        + key
        + ": "
        + what
        + operations.stream()
            .map(operation -> "\n  client " + operation.client() + " " + operation)
            .collect(Collectors.joining());
  }
}

package io.quorate.torture.invariants;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.List;
import java.util.Optional;

/** A value of a key that an operation certainly observed, before its own change if it made one. */
record Observation(Operation operation, Optional<String> value) {

  /** All observed values of the key. */
  static List<Observation> of(String key, List<Operation> operations) {
    return operations.stream().flatMap(operation -> of(key, operation).stream()).toList();
  }

  private static Optional<Observation> of(String key, Operation operation) {
    if (!(operation.outcome() instanceof Outcome.Ok ok)) {
      return Optional.empty();
    }
    Result result = ok.result();
    if (result instanceof Result.Found found) {
      return Optional.of(new Observation(operation, found.value()));
    } else if (result instanceof Result.Rows rows) {
      return Optional.of(new Observation(operation, Optional.ofNullable(rows.rows().get(key))));
    } else if (result instanceof Result.Swap swap) {
      Optional<String> expected = ((Action.CompareAndSet) operation.action()).expected();
      return Optional.of(new Observation(operation, swap.swapped() ? expected : swap.found()));
    }
    return Optional.empty();
  }
}

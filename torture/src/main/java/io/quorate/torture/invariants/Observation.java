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
    return switch (result.kind()) {
      case FOUND -> Optional.of(new Observation(operation, ((Result.Found) result).value()));
      case SWAP -> Optional.of(new Observation(operation, value(operation, (Result.Swap) result)));
      case ROWS -> {
        Optional<String> row = Optional.ofNullable(((Result.Rows) result).rows().get(key));
        yield Optional.of(new Observation(operation, row));
      }
      case DONE, SUM, REFUSED -> Optional.empty();
    };
  }

  private static Optional<String> value(Operation operation, Result.Swap swap) {
    return swap.swapped() ? ((Action.CompareAndSet) operation.action()).expected() : swap.found();
  }
}

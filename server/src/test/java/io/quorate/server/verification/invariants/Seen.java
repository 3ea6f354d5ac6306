package io.quorate.server.verification.invariants;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.List;
import java.util.Optional;

/** A value of a key that an operation certainly met, before it changed it if it did. */
record Seen(Operation operation, Optional<String> value) {

  /** All that is seen of the key. */
  static List<Seen> of(String key, List<Operation> operations) {
    return operations.stream().flatMap(operation -> of(key, operation).stream()).toList();
  }

  private static Optional<Seen> of(String key, Operation operation) {
    if (!(operation.outcome() instanceof Outcome.Ok ok)) {
      return Optional.empty();
    }
    Answer answer = ok.answer();
    if (answer instanceof Answer.Found found) {
      return Optional.of(new Seen(operation, found.value()));
    } else if (answer instanceof Answer.Rows rows) {
      return Optional.of(new Seen(operation, Optional.ofNullable(rows.rows().get(key))));
    } else if (answer instanceof Answer.Swap swap) {
      Optional<String> expected = ((Action.CompareAndSet) operation.action()).expected();
      return Optional.of(new Seen(operation, swap.swapped() ? expected : swap.found()));
    }
    return Optional.empty();
  }
}

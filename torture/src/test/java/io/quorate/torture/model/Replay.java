package io.quorate.torture.model;

import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks an order that is claimed to be a linearization, by executing it. */
public final class Replay {
  private Replay() {}

  /**
   * The first fault of the claim, if any.
   *
   * @param operations all operations that the order must explain
   * @param order the operations among them that took effect, in that order
   */
  public static Optional<String> fault(List<Operation> operations, List<Operation> order) {
    Set<Long> placed = new HashSet<>();
    SequentialModel model = new SequentialModel();
    long latestInvocation = Long.MIN_VALUE;
    for (Operation operation : order) {
      if (!placed.add(operation.id())) {
        return Optional.of(operation + " is placed twice");
      }
      latestInvocation = Math.max(latestInvocation, operation.invokedNanos());
      Result result = model.apply(operation.action());
      if (operation.outcome() instanceof Outcome.Failed) {
        return Optional.of(operation + " is placed");
      }
      if (operation.outcome() instanceof Outcome.Ok ok) {
        if (operation.completedNanos() < latestInvocation) {
          return Optional.of(operation + " is placed after one invoked after it completed");
        }
        if (!result.equals(ok.result())) {
          return Optional.of(operation + " would return " + result);
        }
      }
    }
    return operations.stream()
        .filter(operation -> operation.outcome() instanceof Outcome.Ok)
        .filter(operation -> !placed.contains(operation.id()))
        .findFirst()
        .map(operation -> operation + " is not placed");
  }
}

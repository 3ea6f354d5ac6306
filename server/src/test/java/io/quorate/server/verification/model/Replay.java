package io.quorate.server.verification.model;

import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks an order that is claimed to explain some operations, by carrying it out. */
public final class Replay {
  private Replay() {}

  /**
   * What is wrong with the claim, if anything.
   *
   * @param operations all operations that the order must explain
   * @param order those of them that took effect, in the order in which they did
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
      Answer answer = model.apply(operation.action());
      if (operation.outcome() instanceof Outcome.Failed) {
        return Optional.of(operation + " is placed");
      }
      if (operation.outcome() instanceof Outcome.Ok ok) {
        if (operation.completedNanos() < latestInvocation) {
          return Optional.of(operation + " stands after one that began when it was over");
        }
        if (!answer.equals(ok.answer())) {
          return Optional.of(operation + " would be answered with " + answer);
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

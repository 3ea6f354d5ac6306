package io.quorate.server.verification.invariants;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Of keys that are only added to and read, where nothing negative is added: every number that is
 * seen is at least the sum of all that was acknowledged before, and at most the sum of all that had
 * begun and did not fail; and no sum is answered twice.
 */
final class CountedIncrements {
  private final String key;
  private final List<Operation> operations;

  /** By time of completion, and of invocation: the sum of all until then. */
  private final TreeMap<Long, Long> acknowledged = new TreeMap<>();

  private final TreeMap<Long, Long> begun = new TreeMap<>();

  private final List<Finding> findings = new ArrayList<>();

  private CountedIncrements(String key, List<Operation> operations) {
    this.key = key;
    this.operations = operations;
  }

  static List<Finding> findings(String key, List<Operation> operations) {
    boolean adds = false;
    long most = 0;
    for (Operation operation : operations) {
      Action action = operation.action();
      if (action instanceof Action.Increment || action instanceof Action.IncrementAndGet) {
        long delta = delta(operation);
        if (delta < 0 || most + delta < 0) {
          return List.of();
        }
        most += delta;
        adds = true;
      } else if (!(action instanceof Action.Get || action instanceof Action.Scan)) {
        return List.of();
      }
    }
    return adds ? new CountedIncrements(key, operations).findings() : List.of();
  }

  private List<Finding> findings() {
    for (Operation operation : operations) {
      if (!(operation.outcome() instanceof Outcome.Failed)) {
        begun.merge(operation.invokedNanos(), delta(operation), Long::sum);
      }
      if (operation.outcome() instanceof Outcome.Ok) {
        acknowledged.merge(operation.completedNanos(), delta(operation), Long::sum);
      }
    }
    accumulate(begun);
    accumulate(acknowledged);
    for (Seen seen : Seen.of(key, operations)) {
      try {
        check(seen.operation(), Long.parseLong(seen.value().orElse("0")), 0);
      } catch (NumberFormatException e) {
        findings.add(Finding.of(key, "something was seen that is no number", seen.operation()));
      }
    }
    checkSums();
    return findings;
  }

  private void checkSums() {
    Map<Long, Operation> sums = new HashMap<>();
    for (Operation operation : operations) {
      if (operation.outcome() instanceof Outcome.Ok ok && ok.answer() instanceof Answer.Sum sum) {
        check(operation, sum.value(), delta(operation));
        Operation other = delta(operation) == 0 ? null : sums.put(sum.value(), operation);
        if (other != null) {
          findings.add(Finding.of(key, "a sum was answered twice", other, operation));
        }
      }
    }
  }

  /**
   * @param own what the operation itself had added
   */
  private void check(Operation operation, long number, long own) {
    Map.Entry<Long, Long> before = acknowledged.lowerEntry(operation.invokedNanos());
    long least = (before == null ? 0 : before.getValue()) + own;
    if (number < least) {
      findings.add(Finding.of(key, "less than the acknowledged sum " + least, operation));
    }
    Map.Entry<Long, Long> until = begun.floorEntry(operation.completedNanos());
    long most = until == null ? 0 : until.getValue();
    if (number > most) {
      findings.add(Finding.of(key, "more than the sum of all that had begun, " + most, operation));
    }
  }

  private static void accumulate(TreeMap<Long, Long> sums) {
    long sum = 0;
    for (Map.Entry<Long, Long> entry : sums.entrySet()) {
      sum += entry.getValue();
      entry.setValue(sum);
    }
  }

  private static long delta(Operation operation) {
    if (operation.action() instanceof Action.Increment increment) {
      return increment.delta();
    }
    return operation.action() instanceof Action.IncrementAndGet increment ? increment.delta() : 0;
  }
}

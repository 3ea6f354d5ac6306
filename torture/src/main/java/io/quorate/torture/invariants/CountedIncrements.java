package io.quorate.torture.invariants;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Invariants of keys that are only added to and read, where no delta is negative: every number that
 * is observed is at least the sum of all increments that were acknowledged before, and at most the
 * sum of all that had been invoked and did not fail; and no sum is returned twice.
 */
final class CountedIncrements {
  private final String key;
  private final List<Operation> operations;

  /** By time of completion: the sum of all increments that were acknowledged until then. */
  private final TreeMap<Long, Long> acknowledged = new TreeMap<>();

  /** By time of invocation: the sum of all increments that were invoked until then. */
  private final TreeMap<Long, Long> invoked = new TreeMap<>();

  private final List<Finding> findings = new ArrayList<>();

  private CountedIncrements(String key, List<Operation> operations) {
    this.key = key;
    this.operations = operations;
  }

  static List<Finding> findings(String key, List<Operation> operations) {
    boolean adds = false;
    long total = 0;
    for (Operation operation : operations) {
      Action action = operation.action();
      if (action instanceof Action.Increment || action instanceof Action.IncrementAndGet) {
        long delta = delta(operation);
        if (delta < 0 || total + delta < 0) {
          return List.of();
        }
        total += delta;
        adds = true;
      } else if (!action.isRead()) {
        return List.of();
      }
    }
    return adds ? new CountedIncrements(key, operations).findings() : List.of();
  }

  private List<Finding> findings() {
    for (Operation operation : operations) {
      if (!(operation.outcome() instanceof Outcome.Failed)) {
        invoked.merge(operation.invokedNanos(), delta(operation), Long::sum);
      }
      if (operation.outcome() instanceof Outcome.Ok) {
        acknowledged.merge(operation.completedNanos(), delta(operation), Long::sum);
      }
    }
    accumulate(invoked);
    accumulate(acknowledged);
    for (Observation observation : Observation.of(key, operations)) {
      Operation operation = observation.operation();
      try {
        check(operation, Long.parseLong(observation.value().orElse("0")), 0);
      } catch (NumberFormatException e) {
        findings.add(Finding.of(key, "a value was observed that is no number", operation));
      }
    }
    checkSums();
    return findings;
  }

  private void checkSums() {
    Map<Long, Operation> sums = new HashMap<>();
    for (Operation operation : operations) {
      if (operation.outcome() instanceof Outcome.Ok ok && ok.result() instanceof Result.Sum sum) {
        check(operation, sum.value(), delta(operation));
        Operation other = delta(operation) == 0 ? null : sums.put(sum.value(), operation);
        if (other != null) {
          findings.add(Finding.of(key, "a sum was returned twice", other, operation));
        }
      }
    }
  }

  /**
   * @param own the delta that the operation itself had added
   */
  private void check(Operation operation, long number, long own) {
    Map.Entry<Long, Long> before = acknowledged.lowerEntry(operation.invokedNanos());
    long min = (before == null ? 0 : before.getValue()) + own;
    if (number < min) {
      findings.add(Finding.of(key, "less than the acknowledged sum " + min, operation));
    }
    Map.Entry<Long, Long> until = invoked.floorEntry(operation.completedNanos());
    long max = until == null ? 0 : until.getValue();
    if (number > max) {
      findings.add(Finding.of(key, "more than the sum of all invoked, " + max, operation));
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
    Action action = operation.action();
    return switch (action.kind()) {
      case INCREMENT -> ((Action.Increment) action).delta();
      case INCREMENT_AND_GET -> ((Action.IncrementAndGet) action).delta();
      case GET, PUT, DELETE, COMPARE_AND_SET, APPEND, GET_AND_PUT, BATCH, SCAN -> 0;
    };
  }
}

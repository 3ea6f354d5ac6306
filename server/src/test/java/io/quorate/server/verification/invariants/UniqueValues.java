package io.quorate.server.verification.invariants;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Of keys whose values are only ever set: every value that is seen was written, by an operation
 * that had begun and is not known to have failed; and a value that was written once is replaced at
 * most once by those who say what they replaced.
 */
final class UniqueValues {
  private final String key;
  private final List<Operation> operations;
  private final Map<String, List<Operation>> writers = new HashMap<>();
  private final List<Finding> findings = new ArrayList<>();

  private UniqueValues(String key, List<Operation> operations) {
    this.key = key;
    this.operations = operations;
  }

  static List<Finding> findings(String key, List<Operation> operations) {
    boolean applies =
        operations.stream()
            .map(Operation::action)
            .noneMatch(
                action ->
                    action instanceof Action.Append
                        || action instanceof Action.Increment
                        || action instanceof Action.IncrementAndGet);
    return applies ? new UniqueValues(key, operations).findings() : List.of();
  }

  private List<Finding> findings() {
    for (Operation operation : operations) {
      written(operation.action())
          .ifPresent(
              value -> writers.computeIfAbsent(value, any -> new ArrayList<>()).add(operation));
    }
    Map<String, Operation> replaced = new HashMap<>();
    for (Seen seen : Seen.of(key, operations)) {
      if (seen.value().isPresent()) {
        String value = seen.value().get();
        checkWritten(seen.operation(), writers.getOrDefault(value, List.of()));
        if (replaces(seen.operation(), value) && writers.get(value).size() == 1) {
          Operation other = replaced.putIfAbsent(value, seen.operation());
          if (other != null) {
            findings.add(
                Finding.of(
                    key,
                    "a value that was written once was replaced twice",
                    other,
                    seen.operation()));
          }
        }
      }
    }
    return findings;
  }

  private void checkWritten(Operation seeing, List<Operation> by) {
    if (by.isEmpty()) {
      findings.add(Finding.of(key, "a value was seen that nobody wrote", seeing));
    } else if (by.stream().allMatch(writer -> writer.outcome() instanceof Outcome.Failed)) {
      findings.add(Finding.of(key, "a value was seen whose write had failed", seeing, by.get(0)));
    } else if (by.stream().allMatch(writer -> writer.invokedNanos() > seeing.completedNanos())) {
      findings.add(Finding.of(key, "a value was seen before its write began", seeing, by.get(0)));
    }
  }

  private boolean replaces(Operation operation, String value) {
    return writers.containsKey(value)
        && (operation.action() instanceof Action.GetAndPut put && !put.value().equals(value)
            || operation.action() instanceof Action.CompareAndSet cas
                && cas.expected().equals(Optional.of(value))
                && !cas.replacement().equals(cas.expected()));
  }

  /** The value that the action may leave on the key. */
  private Optional<String> written(Action action) {
    if (action instanceof Action.Put put) {
      return Optional.of(put.value());
    } else if (action instanceof Action.GetAndPut put) {
      return Optional.of(put.value());
    } else if (action instanceof Action.CompareAndSet cas) {
      return cas.replacement();
    } else if (action instanceof Action.Batch batch) {
      Optional<String> last = Optional.empty();
      for (Action.Change change : batch.changes()) {
        if (change.key().equals(key)) {
          last = written(change);
        }
      }
      return last;
    }
    return Optional.empty();
  }
}

package io.quorate.torture.invariants;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Invariants of keys whose values are only ever set: every value that is observed was written by an
 * operation that had been invoked and is not known to have failed; and a value that was written
 * once is replaced at most once by operations that observe the value that they replace.
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
    boolean applies = operations.stream().map(Operation::action).noneMatch(UniqueValues::computes);
    return applies ? new UniqueValues(key, operations).findings() : List.of();
  }

  /** Whether the action sets a value that depends on the previous one. */
  private static boolean computes(Action action) {
    return switch (action.kind()) {
      case APPEND, INCREMENT, INCREMENT_AND_GET -> true;
      case GET, PUT, DELETE, COMPARE_AND_SET, GET_AND_PUT, BATCH, SCAN -> false;
    };
  }

  private List<Finding> findings() {
    for (Operation operation : operations) {
      written(operation.action())
          .ifPresent(
              value -> writers.computeIfAbsent(value, any -> new ArrayList<>()).add(operation));
    }
    Map<String, Operation> replaced = new HashMap<>();
    for (Observation observation : Observation.of(key, operations)) {
      if (observation.value().isPresent()) {
        String value = observation.value().get();
        Operation observer = observation.operation();
        checkWritten(observer, writers.getOrDefault(value, List.of()));
        if (replaces(observer, value) && writers.get(value).size() == 1) {
          Operation other = replaced.putIfAbsent(value, observer);
          if (other != null) {
            findings.add(
                Finding.of(
                    key, "a value that was written once was replaced twice", other, observer));
          }
        }
      }
    }
    return findings;
  }

  private void checkWritten(Operation observer, List<Operation> writes) {
    if (writes.isEmpty()) {
      findings.add(Finding.of(key, "a value was observed that was never written", observer));
    } else if (writes.stream().allMatch(write -> write.outcome() instanceof Outcome.Failed)) {
      findings.add(
          Finding.of(key, "a value was observed whose write had failed", observer, writes.get(0)));
    } else if (writes.stream()
        .allMatch(write -> write.invokedNanos() > observer.completedNanos())) {
      findings.add(
          Finding.of(
              key, "a value was observed before its write was invoked", observer, writes.get(0)));
    }
  }

  private boolean replaces(Operation operation, String value) {
    Action action = operation.action();
    return writers.containsKey(value)
        && switch (action.kind()) {
          case GET_AND_PUT -> !((Action.GetAndPut) action).value().equals(value);
          case COMPARE_AND_SET -> {
            Action.CompareAndSet cas = (Action.CompareAndSet) action;
            yield cas.expected().equals(Optional.of(value))
                && !cas.replacement().equals(cas.expected());
          }
          case GET, PUT, DELETE, INCREMENT, INCREMENT_AND_GET, APPEND, BATCH, SCAN -> false;
        };
  }

  /** The value that the action may write to the key. */
  private Optional<String> written(Action action) {
    return switch (action.kind()) {
      case PUT, DELETE -> ((Action.Change) action).written();
      case GET_AND_PUT -> Optional.of(((Action.GetAndPut) action).value());
      case COMPARE_AND_SET -> ((Action.CompareAndSet) action).replacement();
      case BATCH -> {
        Optional<String> last = Optional.empty();
        for (Action.Change change : ((Action.Batch) action).changes()) {
          last = change.key().equals(key) ? change.written() : last;
        }
        yield last;
      }
      case GET, SCAN, INCREMENT, INCREMENT_AND_GET, APPEND -> Optional.empty();
    };
  }
}

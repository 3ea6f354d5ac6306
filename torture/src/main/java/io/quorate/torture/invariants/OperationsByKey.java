package io.quorate.torture.invariants;

import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The operations on each key in the order of their invocation, including failed ones. */
final class OperationsByKey {
  private OperationsByKey() {}

  static SortedMap<String, List<Operation>> of(History history) {
    TreeMap<String, List<Operation>> byKey = new TreeMap<>();
    // All keys first: a scan also observes the absence of the keys that it does not return.
    for (Operation operation : history.operations()) {
      operation.keys().forEach(key -> byKey.putIfAbsent(key, new ArrayList<>()));
    }
    for (Operation operation : history.operations()) {
      operation.action().keysAmong(byKey.navigableKeySet()).stream()
          .distinct()
          .forEach(key -> byKey.get(key).add(operation));
    }
    return byKey;
  }
}

package io.quorate.torture.invariants;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
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
      if (operation.action() instanceof Action.OnKey onKey) {
        byKey.putIfAbsent(onKey.key(), new ArrayList<>());
      } else if (operation.action() instanceof Action.Batch batch) {
        batch.changes().forEach(change -> byKey.putIfAbsent(change.key(), new ArrayList<>()));
      } else if (operation.outcome() instanceof Outcome.Ok ok
          && ok.result() instanceof Result.Rows rows) {
        rows.rows().keySet().forEach(key -> byKey.putIfAbsent(key, new ArrayList<>()));
      }
    }
    for (Operation operation : history.operations()) {
      if (operation.action() instanceof Action.OnKey onKey) {
        byKey.get(onKey.key()).add(operation);
      } else if (operation.action() instanceof Action.Batch batch) {
        batch.changes().stream()
            .map(Action.Change::key)
            .distinct()
            .forEach(key -> byKey.get(key).add(operation));
      } else if (operation.action() instanceof Action.Scan scan) {
        byKey.subMap(scan.from(), scan.to()).values().forEach(some -> some.add(operation));
      }
    }
    return byKey;
  }
}

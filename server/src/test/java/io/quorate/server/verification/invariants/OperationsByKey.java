package io.quorate.server.verification.invariants;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.History;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The operations of each key, in the order of their invocation, failed ones included. */
final class OperationsByKey {
  private OperationsByKey() {}

  static SortedMap<String, List<Operation>> of(History history) {
    TreeMap<String, List<Operation>> byKey = new TreeMap<>();
    // All keys first, since a scan also says of which of them there is nothing.
    for (Operation operation : history.operations()) {
      if (operation.action() instanceof Action.OnKey onKey) {
        byKey.putIfAbsent(onKey.key(), new ArrayList<>());
      } else if (operation.action() instanceof Action.Batch batch) {
        batch.changes().forEach(change -> byKey.putIfAbsent(change.key(), new ArrayList<>()));
      } else if (operation.outcome() instanceof Outcome.Ok ok
          && ok.answer() instanceof Answer.Rows rows) {
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

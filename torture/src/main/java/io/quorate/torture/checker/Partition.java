package io.quorate.torture.checker;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Groups of keys with the operations on them. A history is linearizable if and only if the
 * operations of each group are, provided that no operation connects keys of different groups.
 */
final class Partition {
  /**
   * Keys and the operations on them.
   *
   * @param operations in the order of their invocation
   */
  record Group(List<String> keys, List<Operation> operations) {}

  private final History history;
  private final TreeSet<String> keys = new TreeSet<>();

  /** By key: another key of its group, nearer to the one that represents the group. */
  private final Map<String, String> parents = new HashMap<>();

  private Partition(History history) {
    this.history = history;
    for (Operation operation : history.operations()) {
      addKeys(operation);
    }
  }

  /** Groups of one key each. An operation on several keys is in several groups. */
  static Collection<Group> byKey(History history) {
    return new Partition(history).groups();
  }

  /** Groups of keys that are connected by batches and scans. */
  static Collection<Group> byConnection(History history) {
    Partition partition = new Partition(history);
    for (Operation operation : history.operations()) {
      if (isInformative(operation)) {
        partition.connect(partition.keysOf(operation));
      }
    }
    return partition.groups();
  }

  private void addKeys(Operation operation) {
    if (operation.action() instanceof Action.OnKey onKey) {
      keys.add(onKey.key());
    } else if (operation.action() instanceof Action.Batch batch) {
      batch.changes().forEach(change -> keys.add(change.key()));
    } else if (operation.outcome() instanceof Outcome.Ok ok
        && ok.result() instanceof Result.Rows rows) {
      keys.addAll(rows.rows().keySet());
    }
  }

  private static boolean isInformative(Operation operation) {
    return operation.outcome() instanceof Outcome.Ok
        || operation.outcome() instanceof Outcome.Indeterminate
            && !(operation.action() instanceof Action.Scan);
  }

  private Collection<String> keysOf(Operation operation) {
    if (operation.action() instanceof Action.OnKey onKey) {
      return List.of(onKey.key());
    } else if (operation.action() instanceof Action.Batch batch) {
      return batch.changes().stream().map(Action.Change::key).toList();
    }
    Action.Scan scan = (Action.Scan) operation.action();
    return keys.subSet(scan.from(), scan.to());
  }

  private void connect(Collection<String> together) {
    String first = null;
    for (String key : together) {
      if (first == null) {
        first = root(key);
      } else {
        parents.put(root(key), first);
      }
    }
  }

  private String root(String key) {
    String root = key;
    while (!parents.getOrDefault(root, root).equals(root)) {
      root = parents.get(root);
    }
    if (!root.equals(key)) {
      parents.put(key, root);
    }
    return root;
  }

  private Collection<Group> groups() {
    Map<String, Group> groups = new TreeMap<>();
    for (String key : keys) {
      groups
          .computeIfAbsent(root(key), any -> new Group(new ArrayList<>(), new ArrayList<>()))
          .keys()
          .add(key);
    }
    for (Operation operation : history.operations()) {
      if (isInformative(operation)) {
        keysOf(operation).stream()
            .map(this::root)
            .distinct()
            .forEach(root -> groups.get(root).operations().add(operation));
      }
    }
    return groups.values();
  }
}

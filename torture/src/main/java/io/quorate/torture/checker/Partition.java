package io.quorate.torture.checker;

import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
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
      keys.addAll(operation.keys());
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
        partition.connect(operation.action().keysAmong(partition.keys));
      }
    }
    return partition.groups();
  }

  private static boolean isInformative(Operation operation) {
    return switch (operation.outcome().kind()) {
      case OK -> true;
      case FAILED -> false;
      case INDETERMINATE -> !operation.action().isRead();
    };
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
        operation.action().keysAmong(keys).stream()
            .map(this::root)
            .distinct()
            .forEach(root -> groups.get(root).operations().add(operation));
      }
    }
    return groups.values();
  }
}

package io.quorate.server.digest;

import io.quorate.model.GroupId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The regions whose replicas differ without a majority that agrees, so that nobody knows which one
 * is right: for an operator. Known until a later digest is equal, or the node ends. Any thread.
 */
public final class UndecidedDifferences {
  private final Map<GroupId, String> differences = new ConcurrentHashMap<>();

  /** The rest of a sentence about this node's replica of a region. */
  public Optional<String> of(GroupId region) {
    return Optional.ofNullable(differences.get(region));
  }

  void found(GroupId region, String difference) {
    differences.put(region, difference);
  }

  void settled(GroupId region) {
    differences.remove(region);
  }

  void settleIf(Predicate<GroupId> condition) {
    differences.keySet().removeIf(condition);
  }
}

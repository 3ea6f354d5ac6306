package io.quorate.consensus.contract;

import io.quorate.consensus.BegunReplicas;
import io.quorate.model.GroupId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The replicas of a node that have begun, in memory. */
public final class RecordedReplicas implements BegunReplicas {
  private final Set<GroupId> begun = ConcurrentHashMap.newKeySet();

  @Override
  public boolean contains(GroupId group) {
    return begun.contains(group);
  }

  @Override
  public void add(GroupId group) {
    begun.add(group);
  }

  /** To be called before the replica is removed. */
  public void remove(GroupId group) {
    begun.remove(group);
  }
}

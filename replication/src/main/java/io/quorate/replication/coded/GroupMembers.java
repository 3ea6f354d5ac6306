package io.quorate.replication.coded;

import io.quorate.model.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The members of a group by its log, in the order of their names: the order of the fragments.
 *
 * @param present the members; during a change those before it
 * @param next those after a change that is in the log and not complete
 */
public record GroupMembers(List<NodeId> present, Optional<List<NodeId>> next) {
  public GroupMembers {
    present = ordered(present);
    next = next.map(GroupMembers::ordered);
  }

  /** Members that do not change. */
  static GroupMembers stable(Collection<NodeId> members) {
    return new GroupMembers(List.copyOf(members), Optional.empty());
  }

  static List<NodeId> ordered(Collection<NodeId> members) {
    return members.stream().sorted().toList();
  }

  /** Whether these are the members and no change is in the log. */
  boolean areExactly(Collection<NodeId> members) {
    return next.isEmpty() && present.equals(ordered(members));
  }
}

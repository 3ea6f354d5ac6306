package io.quorate.ratis.hibernation;

import io.quorate.model.NodeId;
import java.util.Set;

/**
 * The members of a group that lack entries, or do not respond, as far as its leader knows. A
 * majority has all entries.
 *
 * @param nodes empty if every member has all entries
 * @param respond whether one of them responds, and so receives what it lacks
 */
public record MembersBehind(Set<NodeId> nodes, boolean respond) {
  public MembersBehind {
    nodes = Set.copyOf(nodes);
  }
}

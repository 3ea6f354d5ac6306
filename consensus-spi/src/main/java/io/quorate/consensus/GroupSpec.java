package io.quorate.consensus;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What a replica must know to take part in a group.
 *
 * @param cluster the cluster's identity; replicas of another cluster are never talked to
 * @param group the group's number
 * @param members the group's first members. A group that has run before goes by what it remembers.
 * @param preferredLeader which member should lead while several could; no promise, and without
 *     meaning to an engine that has no leader
 */
public record GroupSpec(
    UUID cluster, GroupId group, List<Member> members, Optional<NodeId> preferredLeader) {
  public GroupSpec {
    members = List.copyOf(members);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("Group " + group + " has no members");
    }
    if (members.stream().map(Member::node).distinct().count() != members.size()) {
      throw new IllegalArgumentException("Group " + group + " lists a member twice: " + members);
    }
  }
}

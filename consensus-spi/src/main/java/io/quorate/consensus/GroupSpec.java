package io.quorate.consensus;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The initial configuration of a group, with which a replica starts.
 *
 * @param cluster the identity of the cluster; the engine exchanges no messages with replicas of
 *     another cluster
 * @param group the number of the group
 * @param members the initial members, at least one, each node once. A replica that has run before
 *     uses the members that its files record instead.
 * @param preferredLeader the member that should become leader if several could. A hint that the
 *     engine may ignore; an engine without a leader does.
 * @param activation when the replica runs; an engine may let every replica run always
 * @param joinedBy the number of the change by which the replica joins its group ({@link
 *     Membership#change}), the same whenever it is opened; 0 for a replica that the group began
 *     with. The node may have had a replica of the group before, which was a member by earlier
 *     changes. The present one does not know what that one has acknowledged, so it must not count
 *     as a member by them.
 * @param inheritedEpoch the greatest epoch of a body with which the state of the group may have
 *     begun; 0 for none. The epochs of the group are greater, so that no body of its own has the id
 *     of one of these. Counts where this node has no files of the group, and for engines that
 *     replicate bodies
 */
public record GroupSpec(
    UUID cluster,
    GroupId group,
    List<Member> members,
    Optional<NodeId> preferredLeader,
    Activation activation,
    long joinedBy,
    long inheritedEpoch) {

  /** When a replica runs. */
  public enum Activation {
    /** Always. */
    ALWAYS,
    /** When it was opened, since it may lack entries, until nobody uses the group. */
    ON_OPEN,
    /** While somebody uses the group. A new replica lacks nothing, as all of its group are new. */
    ON_USE
  }

  public GroupSpec {
    members = List.copyOf(members);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("Group " + group + " has no members");
    }
    if (members.stream().map(Member::node).distinct().count() != members.size()) {
      throw new IllegalArgumentException("Group " + group + " lists a member twice: " + members);
    }
  }

  /** A new replica of a new group. */
  public GroupSpec(
      UUID cluster, GroupId group, List<Member> members, Optional<NodeId> preferredLeader) {
    this(cluster, group, members, preferredLeader, Activation.ON_USE, 0, 0);
  }
}

package io.quorate.consensus;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The status of a group in the view of one replica at one moment. It may be out of date by the time
 * the caller reads it.
 *
 * @param epoch the current epoch of the group: a Raft term or a Rabia configuration epoch
 * @param members the current members
 * @param leader the current leader; empty if the engine has no leader or the leader is unknown
 * @param serving whether this replica would accept a proposal now
 * @param committed the commit index of this replica, which may be behind that of other replicas
 * @param ended whether this replica has ended because the other members removed it, as far as it
 *     could find out, or because it was not one yet, or because its files turned out to be damaged;
 *     it takes part again, or reports the damage, once the group is closed and opened again
 * @param hibernating whether this replica hibernates: it has stopped because its group was not in
 *     use, or was not started for that reason, and any use of the group starts it again
 * @param lost the members that have lost what they had acknowledged to this replica while it leads,
 *     as their messages show; they are to be replaced
 * @param problem why this replica takes no part in its group although it runs: the rest of a
 *     sentence about it, for operators; empty if nothing is wrong
 */
public record GroupStatus(
    long epoch,
    List<Member> members,
    Optional<NodeId> leader,
    boolean serving,
    Position committed,
    boolean ended,
    boolean hibernating,
    Set<NodeId> lost,
    Optional<String> problem) {
  public GroupStatus {
    members = List.copyOf(members);
    lost = Set.copyOf(lost);
  }

  /** Without members that are known to have lost anything, and without a problem. */
  public GroupStatus(
      long epoch,
      List<Member> members,
      Optional<NodeId> leader,
      boolean serving,
      Position committed,
      boolean ended,
      boolean hibernating) {
    this(
        epoch, members, leader, serving, committed, ended, hibernating, Set.of(), Optional.empty());
  }
}

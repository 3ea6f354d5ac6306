package io.quorate.ratis;

import io.quorate.ratis.guards.CommittedEntries;
import io.quorate.ratis.guards.JoinedReplica;
import io.quorate.ratis.guards.ReplicaCondition;
import io.quorate.ratis.health.DiskHealth;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.GroupMismatchException;

/**
 * What the replicas of this node may do, as the guards around Ratis need it.
 *
 * @param members the replicas that run
 * @param health of the disk
 * @param onReceived receives the group of each message, and whether it has no entries
 */
record EngineCondition(
    Map<RaftGroupId, RatisMember> members,
    DiskHealth health,
    BiConsumer<RaftGroupId, Boolean> onReceived)
    implements ReplicaCondition {
  @Override
  public boolean isOpen(RaftGroupId group) {
    RatisMember member = members.get(group);
    return member != null && member.isOpen();
  }

  @Override
  public boolean hasLog(RaftGroupId group) {
    RatisMember member = members.get(group);
    return member != null && member.stateMachine().hasLog();
  }

  @Override
  public boolean mayWrite(RaftGroupId group) {
    return health.isLogResponsive();
  }

  @Override
  public JoinedReplica joined(RaftGroupId group) throws GroupMismatchException {
    return member(group).joined();
  }

  @Override
  public CommittedEntries committed(RaftGroupId group) throws GroupMismatchException {
    return member(group).problem().committed();
  }

  @Override
  public boolean isFull(RaftGroupId group) {
    RatisMember member = members.get(group);
    return member != null
        && (member.stateMachine().unapplied().isFull() || !member.log().hasRoom());
  }

  private RatisMember member(RaftGroupId group) throws GroupMismatchException {
    RatisMember member = members.get(group);
    if (member == null) {
      throw new GroupMismatchException("This node has no replica of " + group);
    }
    return member;
  }

  @Override
  public boolean mayLead(RaftGroupId group) {
    RatisMember member = members.get(group);
    return member != null
        && member.joined().hasCaughtUp()
        && !member.stateMachine().isInstalling()
        && health.mayLead(group);
  }

  @Override
  public void received(RaftGroupId group, boolean isHeartbeat) {
    onReceived.accept(group, isHeartbeat);
  }
}

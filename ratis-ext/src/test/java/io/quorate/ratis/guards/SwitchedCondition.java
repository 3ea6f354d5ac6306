package io.quorate.ratis.guards;

import io.quorate.ratis.log.StatesInMemory;
import org.apache.ratis.protocol.RaftGroupId;

/** The condition of a replica that tests change, at first that of a sound one. */
public final class SwitchedCondition implements ReplicaCondition {
  boolean isOpen = true;
  boolean hasLog = true;
  boolean mayWrite = true;
  boolean mayLead = true;
  boolean isFull;
  JoinedReplica joined = new JoinedReplica(false, StatesInMemory.begin(0));
  final CommittedEntries committed = new CommittedEntries();

  @Override
  public boolean isOpen(RaftGroupId of) {
    return isOpen;
  }

  @Override
  public boolean hasLog(RaftGroupId of) {
    return hasLog;
  }

  @Override
  public boolean mayWrite(RaftGroupId of) {
    return mayWrite;
  }

  @Override
  public JoinedReplica joined(RaftGroupId of) {
    return joined;
  }

  @Override
  public CommittedEntries committed(RaftGroupId of) {
    return committed;
  }

  @Override
  public boolean mayLead(RaftGroupId of) {
    return mayLead;
  }

  @Override
  public boolean isFull(RaftGroupId of) {
    return isFull;
  }

  @Override
  public void received(RaftGroupId of, boolean isHeartbeat) {
    // This replica does not hibernate.
  }
}

package io.quorate.ratis.guards;

import org.apache.ratis.protocol.RaftGroupId;

/** The condition of a replica that tests change, at first that of a sound one. */
public final class SwitchedCondition implements ReplicaCondition {
  boolean hasLog = true;
  boolean mayWrite = true;
  boolean mayLead = true;

  @Override
  public boolean isOpen(RaftGroupId of) {
    return false;
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
  public boolean mayLead(RaftGroupId of) {
    return mayLead;
  }

  @Override
  public void received(RaftGroupId of, boolean isHeartbeat) {
    // This replica does not hibernate.
  }
}

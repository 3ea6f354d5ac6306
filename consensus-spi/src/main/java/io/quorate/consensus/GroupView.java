package io.quorate.consensus;

import java.util.List;
import java.util.Optional;

/**
 * A group as one replica sees it at one moment. It may be out of date when it is read.
 *
 * @param epoch the group's present fencing number (Raft term, Rabia configuration epoch)
 * @param members the present members
 * @param leader who leads, if the group has a leader and this replica knows it
 * @param serving whether this replica would accept a proposal now
 * @param committed up to where this replica knows the order to be agreed
 */
public record GroupView(
    long epoch,
    List<Member> members,
    Optional<NodeId> leader,
    boolean serving,
    Position committed) {
  public GroupView {
    members = List.copyOf(members);
  }
}

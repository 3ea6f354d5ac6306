package io.quorate.ratis.guards;

import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.GroupMismatchException;

/**
 * What a node's replicas may do in the present state of the node, in addition to the rules of Raft.
 * Any thread; nothing blocks.
 */
public interface ReplicaCondition {
  /**
   * Whether the group is open. Ratis reports that a new member is starting until that has received
   * its first entries, though it is open; and that others are running shortly before they are.
   */
  boolean isOpen(RaftGroupId group);

  /**
   * Whether no write to the log has failed. If a truncation lies between a failed append and later
   * ones, Ratis 3.3.0 completes the later ones as if they were done.
   */
  boolean hasLog(RaftGroupId group);

  /** Whether the disk of the log responds, so that a write can be expected to reach it. */
  boolean mayWrite(RaftGroupId group);

  /**
   * The fence of a replica that joined the group.
   *
   * @throws GroupMismatchException if this node has no replica of the group
   */
  JoinedReplica joined(RaftGroupId group) throws GroupMismatchException;

  /**
   * What the replica has committed, and does not drop.
   *
   * @throws GroupMismatchException if this node has no replica of the group
   */
  CommittedEntries committed(RaftGroupId group) throws GroupMismatchException;

  /** Whether the replica takes no entries now, because too many are not applied. */
  boolean isFull(RaftGroupId group);

  /** Whether the replica could lead if it were elected. */
  boolean mayLead(RaftGroupId group);

  /**
   * A message of another replica was received, before it is processed. A replica that hibernates
   * starts, and processes a later one.
   *
   * @param isHeartbeat whether it has no entries
   */
  void received(RaftGroupId group, boolean isHeartbeat);
}

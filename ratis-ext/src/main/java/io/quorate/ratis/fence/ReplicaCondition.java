package io.quorate.ratis.fence;

import org.apache.ratis.protocol.RaftGroupId;

/**
 * What the state of a node allows its replicas, beyond the rules of Raft. Any thread; nothing
 * blocks.
 */
public interface ReplicaCondition {
  /** The condition of a replica that nothing is wrong with. */
  ReplicaCondition SOUND =
      new ReplicaCondition() {
        @Override
        public boolean hasLog(RaftGroupId group) {
          return true;
        }

        @Override
        public boolean mayWrite(RaftGroupId group) {
          return true;
        }

        @Override
        public boolean mayLead(RaftGroupId group) {
          return true;
        }
      };

  /**
   * Whether no write to the log has failed. Ratis 3.3.0 completes appends after a failed one as if
   * they were done where a truncation lies between the two.
   */
  boolean hasLog(RaftGroupId group);

  /** Whether the disk of the log responds, so that what is written can be expected to get there. */
  boolean mayWrite(RaftGroupId group);

  /** Whether the replica could lead if it were elected. */
  boolean mayLead(RaftGroupId group);
}

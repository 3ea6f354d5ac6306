package io.quorate.ratis.hibernation;

import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.util.Optional;
import org.apache.ratis.protocol.RaftGroupId;

/** Where the replicas of this node run. Any thread. */
public interface ReplicaHost {

  /**
   * Opens the state machine and starts a replica, which ends with {@link ConsensusGroup#close}.
   * Blocks on files.
   *
   * @throws IOException if the replica cannot start; nothing is left of it
   */
  ConsensusGroup start(GroupSpec spec, ReplicatedStateMachine machine) throws IOException;

  /** Whether this node has records of a group in its log. */
  boolean hasRecords(GroupId group);

  /**
   * The members of a group that are behind; empty unless this node leads the group, and a majority
   * has all entries. Does not block.
   */
  Optional<MembersBehind> behind(RaftGroupId group);
}

package io.quorate.replication.coded;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import java.util.Optional;

/**
 * The term of a replica, and whether it leads in that term: both as of one moment, because a body
 * that is numbered in the term of another leader could replace that leader's body.
 *
 * @param leads whether this replica leads and has committed in this term
 * @param leader the leader as far as it is known
 */
public record Standing(long term, boolean leads, Optional<NodeId> leader) {

  /** Why a replica that does not lead replicates no body. */
  ConsensusException refusal(NodeId self) {
    return leader.filter(self::equals).isPresent()
        ? new ConsensusException.Unavailable("The leader is new and has not committed yet.")
        : new ConsensusException.Redirect(leader);
  }
}

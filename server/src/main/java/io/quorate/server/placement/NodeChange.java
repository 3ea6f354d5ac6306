package io.quorate.server.placement;

import io.quorate.consensus.ConsensusException;
import io.quorate.server.topology.StoredTopology;
import java.util.Optional;

/**
 * What a requested change of a node makes of the stored topology.
 *
 * @param next the topology with what can be planned now
 * @param refusal why that is not all; empty if it is
 */
record NodeChange(StoredTopology next, Optional<ConsensusException> refusal) {

  /** All that was requested. */
  NodeChange(StoredTopology next) {
    this(next, Optional.empty());
  }
}

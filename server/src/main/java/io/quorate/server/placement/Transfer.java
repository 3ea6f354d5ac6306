package io.quorate.server.placement;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;

/**
 * A transfer of the leadership of a region.
 *
 * @param reason why; no sentence, for messages
 */
record Transfer(GroupId region, NodeId from, NodeId to, Kind kind, String reason) {
  enum Kind {
    /** The device of the leader has become slow. */
    EVACUATION,
    /** The device of another replica is faster. */
    MIGRATION,
    /** Another node with a replica leads fewer regions. */
    SPREAD
  }
}

package io.quorate.server.placement;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;

/**
 * A transfer of the leadership of a region.
 *
 * @param reason why; no sentence, for messages
 */
record Transfer(GroupId region, NodeId from, NodeId to, String reason) {}

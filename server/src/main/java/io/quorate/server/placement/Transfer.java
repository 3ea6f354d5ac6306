package io.quorate.server.placement;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;

/**
 * A transfer of the leadership of a region.
 *
 * @param reason why; no sentence, for messages
 */
record Transfer(GroupId region, NodeId from, NodeId to, String reason) {}

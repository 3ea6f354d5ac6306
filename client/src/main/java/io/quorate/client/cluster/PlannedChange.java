package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.util.Optional;

/**
 * A change of the replicas of a region that is under way or follows.
 *
 * @param from the node whose replica is removed; empty if one is added
 * @param to the node that receives a replica; empty if one is removed
 * @param rowBytes the approximate size of the region's rows in bytes, with its large values
 * @param reason why; no sentence, and empty if the version of the node does not report it
 */
public record PlannedChange(
    GroupId region, Optional<NodeId> from, Optional<NodeId> to, long rowBytes, String reason) {
  public PlannedChange {
    Nulls.refuse(region, "region");
    Nulls.refuse(from, "from");
    Nulls.refuse(to, "to");
    Nulls.refuse(reason, "reason");
  }
}

package io.quorate.client;

import io.quorate.client.wire.Routing;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One region as the cluster described it.
 *
 * @param leader who led it when it was described, as far as the describing node knew
 */
record RegionDescriptor(
    GroupId id, RegionEpoch epoch, KeyRange range, List<NodeId> replicas, Optional<NodeId> leader) {
  RegionDescriptor {
    replicas = List.copyOf(replicas);
  }

  /** What stands before a request to this region that is waited for this long. */
  Routing routing(Duration timeout) {
    return new Routing(id.value(), epoch.value(), (int) Math.max(1, timeout.toMillis()));
  }
}

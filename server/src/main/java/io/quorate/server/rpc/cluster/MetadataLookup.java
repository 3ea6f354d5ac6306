package io.quorate.server.rpc.cluster;

import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RegionAssignment;

/** Finds this node's replica of region 0 for requests about the cluster. */
final class MetadataLookup {
  private final ClusterTopology topology;

  MetadataLookup(ClusterTopology topology) {
    this.topology = topology;
  }

  /**
   * The replica, which serves.
   *
   * @throws RequestRejected if there is none
   */
  MetadataRegion serving() {
    return topology
        .hosted(RegionAssignment.METADATA)
        .map(MetadataRegion::new)
        .filter(MetadataRegion::serves)
        .orElseThrow(
            () ->
                RequestRejected.elsewhere(
                    "This node does not serve region 0, which has the topology of the cluster."));
  }
}

package io.quorate.client;

import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.Region;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.Key;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a client knows about a cluster: its nodes, and its regions in key order without a gap.
 * Immutable.
 *
 * @param leadersOnly whether only a region's leader takes writes, and reads too unless replicas do
 * @param reads how reads are served that ask for what the cluster is set up for
 */
record ClusterMap(
    String clusterId,
    Map<NodeId, NodeAddress> nodes,
    List<RegionDescriptor> regions,
    boolean leadersOnly,
    ReadService reads) {
  ClusterMap {
    nodes = Map.copyOf(nodes);
    regions = List.copyOf(regions);
  }

  /**
   * Reads what a server says.
   *
   * @throws MalformedException if the regions do not cover all keys, or a region has a replica on a
   *     node that is not described
   */
  static ClusterMap of(Topology topology) {
    Map<NodeId, NodeAddress> nodes = new LinkedHashMap<>();
    List<RegionDescriptor> regions = new ArrayList<>();
    try {
      for (Node node : topology.getNodesList()) {
        nodes.put(new NodeId(node.getId()), new NodeAddress(node.getHost(), node.getClientPort()));
      }
      for (Region region : topology.getRegionsList()) {
        regions.add(RegionDescriptor.of(region));
      }
    } catch (IllegalArgumentException e) {
      throw new MalformedException("A map of the cluster is wrong: " + e.getMessage() + ".");
    }
    requireWhole(regions);
    for (RegionDescriptor region : regions) {
      if (region.replicas().isEmpty() || !nodes.keySet().containsAll(region.replicas())) {
        throw new MalformedException(
            "A map of the cluster does not say where the replicas of region "
                + region.id()
                + " are.");
      }
    }
    return new ClusterMap(
        topology.getClusterId(),
        nodes,
        regions,
        topology.getLeadersOnly(),
        ReadService.of(topology.getReads()));
  }

  private static void requireWhole(List<RegionDescriptor> regions) {
    if (regions.isEmpty()) {
      throw new MalformedException("A map of the cluster has no regions yet.");
    }
    Optional<Key> next = Optional.of(Key.EMPTY);
    for (RegionDescriptor region : regions) {
      if (!next.equals(Optional.of(region.range().start()))) {
        throw new MalformedException(
            "A map of the cluster has a gap or an overlap before region " + region.id() + ".");
      }
      next = region.range().end();
    }
    if (next.isPresent()) {
      throw new MalformedException("A map of the cluster ends before the last key.");
    }
  }

  /** The region that holds the key. */
  RegionDescriptor regionOf(Key key) {
    int low = 0;
    int high = regions.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (regions.get(middle).range().start().compareTo(key) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return regions.get(low);
  }

  /** Whether the other map has a newer description of a region than this one. */
  boolean isOlderThan(ClusterMap other) {
    for (RegionDescriptor theirs : other.regions) {
      for (RegionDescriptor ours : regions) {
        if (ours.id().equals(theirs.id()) && ours.epoch().compareTo(theirs.epoch()) < 0) {
          return true;
        }
      }
    }
    return false;
  }
}

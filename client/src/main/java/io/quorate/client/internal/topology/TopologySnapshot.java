package io.quorate.client.internal.topology;

import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.FoundingId;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.Region;
import io.quorate.protocol.wire.v1.Topology;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The topology of a cluster: its nodes, and its regions in key order without a gap. Immutable.
 *
 * @param founding the id that the cluster received when it was founded
 * @param version the number of changes, of nodes too
 * @param leadersOnly whether only the leader of a region accepts writes, and reads too unless
 *     {@code reads} lets replicas serve them
 * @param reads how reads are served with the guarantee for which the cluster is configured
 */
public record TopologySnapshot(
    String clusterId,
    UUID founding,
    long version,
    Map<NodeId, NodeAddress> nodes,
    List<RegionDescriptor> regions,
    boolean leadersOnly,
    ReadMode reads) {
  public TopologySnapshot {
    nodes = Map.copyOf(nodes);
    regions = List.copyOf(regions);
  }

  /**
   * Decodes the topology that a server sent.
   *
   * @throws DecodeException if the regions do not cover all keys, or a region has a replica on a
   *     node that is not listed
   */
  public static TopologySnapshot of(Topology topology) {
    Map<NodeId, NodeAddress> nodes = new LinkedHashMap<>();
    List<RegionDescriptor> regions = new ArrayList<>();
    try {
      for (Node node : topology.getNodesList()) {
        nodes.put(new NodeId(node.getId()), new NodeAddress(node.getHost(), node.getClientPort()));
      }
      for (Region region : topology.getRegionsList()) {
        regions.add(TopologyReader.region(region));
      }
    } catch (IllegalArgumentException e) {
      throw new DecodeException("A cluster topology is invalid: " + e.getMessage() + ".");
    }
    requireWhole(regions);
    for (RegionDescriptor region : regions) {
      if (region.replicas().isEmpty() || !nodes.keySet().containsAll(region.replicas())) {
        throw new DecodeException(
            "A cluster topology lists no nodes for the replicas of region " + region.id() + ".");
      }
    }
    return new TopologySnapshot(
        topology.getClusterId(),
        FoundingId.of(topology)
            .orElseThrow(
                () -> new DecodeException("A cluster topology has no id of its founding.")),
        topology.getVersion(),
        nodes,
        regions,
        topology.getLeadersOnly(),
        ReadMode.of(topology.getReads()));
  }

  private static void requireWhole(List<RegionDescriptor> regions) {
    if (regions.isEmpty()) {
      throw new DecodeException("A cluster topology has no regions yet.");
    }
    Optional<Key> next = Optional.of(Key.EMPTY);
    for (RegionDescriptor region : regions) {
      if (!next.equals(Optional.of(region.range().start()))) {
        throw new DecodeException(
            "A cluster topology has a gap or an overlap before region " + region.id() + ".");
      }
      next = region.range().end();
    }
    if (next.isPresent()) {
      throw new DecodeException("A cluster topology ends before the last key.");
    }
  }

  /** The region that contains the key. */
  public RegionDescriptor regionOf(Key key) {
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

  /**
   * Whether the other topology has a newer description of any region, or is a later version of the
   * same regions, in which nodes may have other addresses.
   */
  boolean isOlderThan(TopologySnapshot other) {
    return other.hasNewerRegionThan(this) || version < other.version && !hasNewerRegionThan(other);
  }

  private boolean hasNewerRegionThan(TopologySnapshot other) {
    Map<GroupId, RegionEpoch> epochs =
        other.regions.stream()
            .collect(Collectors.toMap(RegionDescriptor::id, RegionDescriptor::epoch));
    return regions.stream()
        .anyMatch(
            ours -> {
              RegionEpoch theirs = epochs.get(ours.id());
              return theirs != null && theirs.compareTo(ours.epoch()) < 0;
            });
  }
}

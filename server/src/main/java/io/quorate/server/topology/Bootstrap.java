package io.quorate.server.topology;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterConfig;
import io.quorate.server.config.ClusterNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The initial topology of a cluster, as implied by its configuration. */
public final class Bootstrap {
  /** The most replicas of region 0. */
  public static final int METADATA_REPLICAS_MAX = 5;

  /** The number of values of the first two bytes of a key. */
  private static final int PREFIXES = 1 << 16;

  private Bootstrap() {}

  /** The metadata region: on the first nodes in the configured list, at most five. */
  public static RegionAssignment metadata(ClusterConfig cluster) {
    return metadata(cluster.nodes().stream().map(ClusterNode::id).toList());
  }

  static RegionAssignment metadata(List<NodeId> nodes) {
    return new RegionAssignment(
        RegionAssignment.METADATA,
        KeyRange.ALL,
        RegionEpoch.FIRST,
        nodes.stream().limit(METADATA_REPLICAS_MAX).toList());
  }

  /**
   * The whole topology, with a new id of the founding.
   *
   * @param disks the disks that are known
   */
  public static StoredTopology topology(ClusterConfig cluster, Map<NodeId, UUID> disks) {
    return new StoredTopology(
        cluster.id(),
        UUID.randomUUID(),
        TopologyVersion.FIRST,
        cluster.nodes().stream()
            .map(
                node ->
                    new NodeEntry(
                        node, Optional.ofNullable(disks.get(node.id())), false, RangeSupport.NONE))
            .toList(),
        metadata(cluster),
        regions(cluster),
        cluster.replicasWanted());
  }

  /**
   * Regions 1, 2 and so on in key order. The replicas of region i are on consecutive nodes from the
   * i-th on, round-robin, so that replicas and preferred leaders are spread evenly.
   */
  public static RegionTable regions(ClusterConfig cluster) {
    List<Key> splits =
        cluster.splitKeys().isEmpty() ? evenSplits(cluster.regions()) : cluster.splitKeys();
    List<RegionAssignment> regions = new ArrayList<>();
    for (int i = 0; i <= splits.size(); i++) {
      Key start = i == 0 ? Key.EMPTY : splits.get(i - 1);
      Optional<Key> end = i == splits.size() ? Optional.empty() : Optional.of(splits.get(i));
      regions.add(
          new RegionAssignment(
              new GroupId(i + 1),
              new KeyRange(start, end),
              RegionEpoch.FIRST,
              replicas(cluster, i)));
    }
    return new RegionTable(regions);
  }

  /** Keys that divide the space of the first two bytes into parts, equal except for rounding. */
  static List<Key> evenSplits(int regions) {
    List<Key> splits = new ArrayList<>();
    for (int i = 1; i < regions; i++) {
      int prefix = (int) ((long) PREFIXES * i / regions);
      byte high = (byte) (prefix >>> 8);
      byte low = (byte) prefix;
      splits.add(Key.wrap(low == 0 ? new byte[] {high} : new byte[] {high, low}));
    }
    return splits;
  }

  private static List<NodeId> replicas(ClusterConfig cluster, int region) {
    List<ClusterNode> nodes = cluster.nodes();
    List<NodeId> replicas = new ArrayList<>();
    for (int i = 0; i < cluster.replicas(); i++) {
      replicas.add(nodes.get((region + i) % nodes.size()).id());
    }
    return replicas;
  }
}

package io.quorate.server.placement;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the regions of a new cluster begin, by the speed of the devices of its nodes, so that no
 * replica has to move later only because devices differ. Pure.
 */
public final class FirstPlacement {
  private final StoredTopology even;
  private final DeviceSpeeds speeds;
  private final Policy policy;
  private final List<NodeId> nodes;
  private final Map<NodeId, Integer> leaders = new HashMap<>();

  private FirstPlacement(StoredTopology even, DeviceSpeeds speeds, Policy policy) {
    this.even = even;
    this.speeds = speeds;
    this.policy = policy;
    this.nodes = even.nodes().stream().map(NodeEntry::id).toList();
  }

  /**
   * Places the regions.
   *
   * @param even the topology with the regions evenly distributed
   * @param speeds the speeds of devices, as far as they are known
   * @return the same topology if the policy does not consider devices, or no speed is known
   */
  public static StoredTopology of(StoredTopology even, Map<NodeId, Double> speeds, Policy policy) {
    if (!policy.considersDevices() || speeds.isEmpty()) {
      return even;
    }
    List<NodeId> nodes = even.nodes().stream().map(NodeEntry::id).toList();
    return new FirstPlacement(
            even, DeviceSpeeds.of(nodes, node -> speeds.getOrDefault(node, 0.0)), policy)
        .place();
  }

  private StoredTopology place() {
    List<RegionAssignment> regions = even.regions().regions();
    List<List<NodeId>> replicas =
        policy == Policy.ALOR
            ? bySpeed(regions.size(), regions.get(0).replicas().size())
            : regions.stream().map(RegionAssignment::replicas).toList();
    List<RegionAssignment> placed = new ArrayList<>();
    for (int i = 0; i < regions.size(); i++) {
      RegionAssignment region = regions.get(i);
      placed.add(
          new RegionAssignment(
              region.id(), region.range(), RegionEpoch.FIRST, ledByFastest(replicas.get(i))));
    }
    return new StoredTopology(
        even.cluster(),
        even.founding(),
        even.version(),
        even.nodes(),
        even.metadata(),
        new RegionTable(placed),
        even.replicas());
  }

  /**
   * The replicas of each region. All regions receive their first replica, then all their second
   * one, and so on, each from the fastest node that is to have more; so fast and slow nodes are
   * mixed, and as few regions as possible have a majority on slow ones.
   */
  private List<List<NodeId>> bySpeed(int regions, int replicas) {
    Map<NodeId, Integer> left = shares(regions, replicas);
    List<List<NodeId>> placed = new ArrayList<>();
    for (int i = 0; i < regions; i++) {
      placed.add(new ArrayList<>());
    }
    for (int k = 0; k < replicas; k++) {
      for (List<NodeId> region : placed) {
        NodeId next =
            nodes.stream()
                .filter(node -> !region.contains(node))
                .min(
                    Comparator.comparing(
                            (NodeId node) -> diversity(region, node),
                            Comparator.<Diversity>reverseOrder())
                        .thenComparing(node -> left.get(node) <= 0)
                        .thenComparing(speeds::relative, Comparator.reverseOrder())
                        .thenComparing(NodeId::value))
                .orElseThrow();
        region.add(next);
        left.merge(next, -1, Integer::sum);
      }
    }
    return placed;
  }

  /** How many replicas each node is to have: in proportion to its speed, one a region at most. */
  private Map<NodeId, Integer> shares(int regions, int replicas) {
    Map<NodeId, Integer> shares = new HashMap<>();
    nodes.forEach(node -> shares.put(node, 0));
    for (int i = 0; i < regions * replicas; i++) {
      NodeId next =
          nodes.stream()
              .filter(node -> shares.get(node) < regions)
              .min(
                  Comparator.comparing(
                          (NodeId node) -> (shares.get(node) + 1) / speeds.relative(node))
                      .thenComparing(NodeId::value))
              .orElseThrow();
      shares.merge(next, 1, Integer::sum);
    }
    return shares;
  }

  private Diversity diversity(List<NodeId> chosen, NodeId node) {
    List<NodeId> all = new ArrayList<>(chosen);
    all.add(node);
    return Diversity.of(all, even);
  }

  /** The first one of the replicas is the preferred leader. */
  private List<NodeId> ledByFastest(List<NodeId> on) {
    NodeId leader =
        speeds.fastest(on).stream()
            .min(
                Comparator.comparing((NodeId node) -> leaders.getOrDefault(node, 0))
                    .thenComparing(NodeId::value))
            .orElseThrow();
    leaders.merge(leader, 1, Integer::sum);
    List<NodeId> ordered = new ArrayList<>(on);
    ordered.remove(leader);
    ordered.add(0, leader);
    return ordered;
  }
}

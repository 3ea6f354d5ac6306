package io.quorate.server.placement;

import io.quorate.client.RegionEpoch;
import io.quorate.consensus.NodeId;
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
  private final Map<NodeId, Integer> replicas = new HashMap<>();
  private final Map<NodeId, Integer> leaders = new HashMap<>();

  private FirstPlacement(StoredTopology even, DeviceSpeeds speeds, Policy policy) {
    this.even = even;
    this.speeds = speeds;
    this.policy = policy;
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
    List<RegionAssignment> placed = new ArrayList<>();
    for (RegionAssignment region : even.regions().regions()) {
      List<NodeId> on =
          policy == Policy.ALOR ? bySpeed(region.replicas().size()) : region.replicas();
      placed.add(
          new RegionAssignment(region.id(), region.range(), RegionEpoch.FIRST, ledByFastest(on)));
    }
    return new StoredTopology(
        even.cluster(),
        even.version(),
        even.nodes(),
        even.metadata(),
        new RegionTable(placed),
        even.replicas());
  }

  /** Each replica on the node that then has the fewest in relation to its speed. */
  private List<NodeId> bySpeed(int count) {
    List<NodeId> chosen = new ArrayList<>();
    while (chosen.size() < count) {
      NodeId next =
          even.nodes().stream()
              .map(NodeEntry::id)
              .filter(node -> !chosen.contains(node))
              .min(
                  Comparator.comparing(
                          (NodeId node) -> diversity(chosen, node),
                          Comparator.<Diversity>reverseOrder())
                      .thenComparing(
                          node -> (replicas.getOrDefault(node, 0) + 1) / speeds.relative(node))
                      .thenComparing(NodeId::value))
              .orElseThrow();
      chosen.add(next);
      replicas.merge(next, 1, Integer::sum);
    }
    return chosen;
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

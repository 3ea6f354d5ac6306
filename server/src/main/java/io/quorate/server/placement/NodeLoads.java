package io.quorate.server.placement;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How much each node holds in relation to its weight, once all planned changes are complete.
 * Replicas move so that this load becomes equal (ALOR, section 3.3 and Eq. 1: data in proportion to
 * the speed of the devices). Under policies that do not consider devices, each replica counts as
 * one, and each node weighs the same. Those of region 0, which is small, do not count. Immutable.
 */
final class NodeLoads {
  /**
   * A node that holds more than this part of its capacity has {@link #WEIGHT_OF_FULL} (ALOR,
   * section 3.3).
   */
  private static final double FULL = 0.95;

  private static final double WEIGHT_OF_FULL = 1e-6;

  /** No move fills its receiver beyond this part, so that it does not have to move back soon. */
  private static final double FILLED_BY_MOVES_MAX = 0.90;

  /** A region costs memory and files of its log also while it is empty. */
  private static final double BYTES_OF_EMPTY_REGION = 1 << 20;

  /** A move by speed has to reduce a difference of loads that measurements do not blur. */
  private static final double MARGIN = 0.1;

  private final ClusterPicture picture;
  private final boolean isBySpeed;
  private final Map<NodeId, Double> held = new HashMap<>();
  private final Map<NodeId, Double> bytes = new HashMap<>();

  /** Replicas that leave by a planned change included: they occupy their space until then. */
  private final Map<NodeId, Double> occupied = new HashMap<>();

  private final Map<NodeId, Double> weights = new HashMap<>();

  private NodeLoads(ClusterPicture picture, boolean isBySpeed) {
    this.picture = picture;
    this.isBySpeed = isBySpeed;
    for (NodeEntry node : picture.topology().nodes()) {
      held.put(node.id(), 0.0);
    }
    for (RegionAssignment region : picture.topology().regions().regions()) {
      double size = size(region.id());
      double rows = picture.rowBytes().getOrDefault(region.id(), 0L);
      for (NodeId node : region.replicasAfterChange()) {
        held.merge(node, size, Double::sum);
        bytes.merge(node, rows, Double::sum);
        occupied.merge(node, rows, Double::sum);
      }
      region
          .change()
          .flatMap(ReplicaChange::from)
          .ifPresent(leaving -> occupied.merge(leaving, rows, Double::sum));
    }
    DeviceSpeeds speeds = DeviceSpeeds.of(picture);
    for (NodeId node : held.keySet()) {
      weights.put(node, !isBySpeed ? 1 : isFull(node) ? WEIGHT_OF_FULL : speeds.relative(node));
    }
  }

  static NodeLoads of(ClusterPicture picture, Policy policy) {
    return new NodeLoads(picture, policy == Policy.ALOR);
  }

  /** What the node holds, by its weight. */
  double load(NodeId node) {
    return held.getOrDefault(node, 0.0) / weights.getOrDefault(node, 1.0);
  }

  /** The load of the node with one more replica of the region. */
  double loadWith(NodeId node, GroupId region) {
    return (held.getOrDefault(node, 0.0) + size(region)) / weights.getOrDefault(node, 1.0);
  }

  /**
   * Whether the loads become more equal if a replica of the region moves: by Eq. 1 of ALOR, with
   * half of the region on either side, so that the sum of squared loads, each times its weight,
   * decreases with every such move, and moves end.
   */
  boolean improves(GroupId region, NodeId from, NodeId to) {
    double half = size(region) / 2;
    double before = (held.getOrDefault(from, 0.0) - half) / weights.getOrDefault(from, 1.0);
    double after = (held.getOrDefault(to, 0.0) + half) / weights.getOrDefault(to, 1.0);
    return isBySpeed ? before > after * (1 + MARGIN) : before > after;
  }

  /** Whether the node can receive a replica of the region and is still not full. */
  boolean hasRoom(NodeId node, GroupId region) {
    return !isBySpeed
        || occupied.getOrDefault(node, 0.0) + picture.rowBytes().getOrDefault(region, 0L)
            <= FILLED_BY_MOVES_MAX * picture.device(node).capacityBytes();
  }

  /** Whether the node holds so much that replicas have to leave it. */
  boolean isFull(NodeId node) {
    return isBySpeed && bytes(node) >= FULL * picture.device(node).capacityBytes();
  }

  /** Why a replica of the region moves, and what that changes. */
  String reason(GroupId region, NodeId from, NodeId to) {
    if (isFull(from)) {
      return from + " holds " + percent(bytes(from), from) + " of its capacity";
    }
    double mean = mean();
    double size = size(region);
    return String.format(
        Locale.ROOT,
        "%s holds %.2f of its share and %s %.2f; %.2f and %.2f afterwards",
        from,
        load(from) / mean,
        to,
        load(to) / mean,
        (held.get(from) - size) / weights.get(from) / mean,
        loadWith(to, region) / mean);
  }

  private String percent(double bytes, NodeId node) {
    return Math.round(100 * bytes / picture.device(node).capacityBytes()) + " %";
  }

  /** The load that every node would have if all had the same. */
  private double mean() {
    double all = held.values().stream().mapToDouble(Double::doubleValue).sum();
    double weight = weights.values().stream().mapToDouble(Double::doubleValue).sum();
    return all / weight;
  }

  private double size(GroupId region) {
    return isBySpeed ? BYTES_OF_EMPTY_REGION + picture.rowBytes().getOrDefault(region, 0L) : 1;
  }

  private double bytes(NodeId node) {
    return bytes.getOrDefault(node, 0.0);
  }
}

package io.quorate.server.placement;

import io.quorate.model.NodeId;
import io.quorate.server.topology.NodeEntry;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** How fast the devices of nodes are in relation to each other. Immutable. */
final class DeviceSpeeds {
  /** Measured speeds that differ by less are taken as equal. */
  private static final double TOLERANCE = 0.2;

  private final Map<NodeId, Double> relative;

  private DeviceSpeeds(Map<NodeId, Double> relative) {
    this.relative = relative;
  }

  static DeviceSpeeds of(ClusterPicture picture) {
    return of(
        picture.topology().nodes().stream().map(NodeEntry::id).toList(),
        node -> picture.device(node).speed());
  }

  /**
   * A node whose speed is not known counts as one with the median of the known speeds.
   *
   * @param speedOf the speed of a node's device; 0 if it is not known
   */
  static DeviceSpeeds of(Collection<NodeId> nodes, ToDoubleFunction<NodeId> speedOf) {
    List<Double> known =
        nodes.stream().map(speedOf::applyAsDouble).filter(speed -> speed > 0).sorted().toList();
    double median = known.isEmpty() ? 1 : known.get(known.size() / 2);
    Map<NodeId, Double> relative = new HashMap<>();
    for (NodeId node : nodes) {
      double speed = speedOf.applyAsDouble(node);
      relative.put(node, speed > 0 ? speed / median : 1);
    }
    return new DeviceSpeeds(relative);
  }

  /** The speed of the node's device; the median of all is 1. */
  double relative(NodeId node) {
    return relative.getOrDefault(node, 1.0);
  }

  /** Those of the nodes whose devices are as fast as the fastest of them. */
  List<NodeId> fastest(Collection<NodeId> nodes) {
    double best = nodes.stream().mapToDouble(this::relative).max().orElse(0);
    return nodes.stream().filter(node -> relative(node) >= (1 - TOLERANCE) * best).toList();
  }
}

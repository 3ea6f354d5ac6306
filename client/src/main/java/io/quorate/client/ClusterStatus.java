package io.quorate.client;

import java.util.List;

/**
 * What each node of a cluster says about itself. Every node speaks for itself and for the moment at
 * which it was asked; the reports are not a consistent cut.
 *
 * @param nodes every node that is known, whether it answered or not, by name
 */
public record ClusterStatus(List<NodeReport> nodes) {
  public ClusterStatus {
    nodes = List.copyOf(nodes);
  }

  /** Whether at least one node answered. */
  public boolean isReachable() {
    return nodes.stream().anyMatch(NodeReport::isUp);
  }
}

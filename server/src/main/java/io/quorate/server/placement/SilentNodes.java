package io.quorate.server.placement;

import io.quorate.consensus.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** For how long nodes have not responded. One thread. */
final class SilentNodes {
  private final Map<NodeId, Long> sinceNanos = new HashMap<>();

  /**
   * Records an observation.
   *
   * @param all the nodes that were requested to respond
   * @param nowNanos as {@link System#nanoTime}
   */
  void observed(Collection<NodeId> all, Set<NodeId> responding, long nowNanos) {
    sinceNanos.keySet().retainAll(all);
    sinceNanos.keySet().removeAll(responding);
    all.stream()
        .filter(node -> !responding.contains(node))
        .forEach(node -> sinceNanos.putIfAbsent(node, nowNanos));
  }

  /** Whether a node has not responded for this long. */
  boolean isSilent(NodeId node, long durationNanos, long nowNanos) {
    Long since = sinceNanos.get(node);
    return since != null && nowNanos - since >= durationNanos;
  }

  void clear() {
    sinceNanos.clear();
  }
}

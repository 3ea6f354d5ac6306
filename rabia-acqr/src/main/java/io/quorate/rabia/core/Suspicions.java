package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which replicas seem to be gone (O5). A wrong suspicion costs null slots, nothing else. */
final class Suspicions {
  private final Map<NodeId, Long> heardAt = new HashMap<>();
  private final Set<NodeId> suspected = new HashSet<>();

  void heard(NodeId node, long now) {
    heardAt.put(node, now);
    suspected.remove(node);
  }

  /** Suspects a replica that something is expected of since {@code since}. */
  void expect(NodeId node, long since, long now, long patience) {
    long last = Math.max(since, heardAt.getOrDefault(node, since));
    if (now - last >= patience) {
      suspected.add(node);
    }
  }

  boolean isSuspected(NodeId node) {
    return suspected.contains(node);
  }
}

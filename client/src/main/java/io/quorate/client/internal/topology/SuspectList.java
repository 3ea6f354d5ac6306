package io.quorate.client.internal.topology;

import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * A failure detector: the nodes that recently did not respond or could not serve, to which others
 * are preferred for a while, longer the more often that happens in a row. Only a response clears a
 * suspicion. Not thread-safe; time is an input. Holds one entry for each node.
 */
final class SuspectList {
  static final Duration SUSPICION_INITIAL = Duration.ofMillis(500);
  static final Duration SUSPICION_MAX = Duration.ofSeconds(8);

  private record Suspicion(long sinceNanos, Duration length) {
    boolean isActive(long nowNanos) {
      return nowNanos - sinceNanos < length.toNanos();
    }

    Suspicion renewed(long nowNanos) {
      Duration doubled = length.multipliedBy(2);
      return new Suspicion(
          nowNanos, doubled.compareTo(SUSPICION_MAX) < 0 ? doubled : SUSPICION_MAX);
    }
  }

  private final Map<NodeId, Suspicion> suspicions = new HashMap<>();

  /** Records a failure of a node. Failures that many calls observe at the same time count once. */
  void failed(NodeId node, long nowNanos) {
    Suspicion before = suspicions.get(node);
    if (before == null) {
      suspicions.put(node, new Suspicion(nowNanos, SUSPICION_INITIAL));
    } else if (!before.isActive(nowNanos)) {
      suspicions.put(node, before.renewed(nowNanos));
    }
  }

  /** Clears the suspicion of a node that has responded. */
  void responded(NodeId node) {
    suspicions.remove(node);
  }

  /**
   * Whether a request may be sent to this node rather than to another one. When a suspicion
   * expires, one request is let through as a probe and the suspicion is renewed, so that the other
   * requests avoid the node until the probe succeeds: a request to a node that does not respond
   * loses time.
   */
  boolean admits(NodeId node, long nowNanos) {
    Suspicion suspicion = suspicions.get(node);
    if (suspicion == null) {
      return true;
    }
    if (suspicion.isActive(nowNanos)) {
      return false;
    }
    suspicions.put(node, suspicion.renewed(nowNanos));
    return true;
  }

  /** Whether a read that queries several nodes should prefer the others to this one. */
  boolean isSuspected(NodeId node, long nowNanos) {
    Suspicion suspicion = suspicions.get(node);
    return suspicion != null && suspicion.isActive(nowNanos);
  }
}

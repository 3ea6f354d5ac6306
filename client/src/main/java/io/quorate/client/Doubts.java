package io.quorate.client;

import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Which nodes have lately not answered, or not been able to help, and are better asked after the
 * others for a while: for longer, the more often that happens in a row. Only an answer ends a doubt
 * for good. Not thread-safe; time is an input. Holds one entry a node.
 */
final class Doubts {
  static final Duration FIRST = Duration.ofMillis(500);
  static final Duration MOST = Duration.ofSeconds(8);

  private record Doubt(long sinceNanos, Duration length) {
    boolean holds(long nowNanos) {
      return nowNanos - sinceNanos < length.toNanos();
    }

    Doubt again(long nowNanos) {
      Duration doubled = length.multipliedBy(2);
      return new Doubt(nowNanos, doubled.compareTo(MOST) < 0 ? doubled : MOST);
    }
  }

  private final Map<NodeId, Doubt> doubts = new HashMap<>();

  /** A node was of no use. What many calls find out together counts once. */
  void failed(NodeId node, long nowNanos) {
    Doubt before = doubts.get(node);
    if (before == null) {
      doubts.put(node, new Doubt(nowNanos, FIRST));
    } else if (!before.holds(nowNanos)) {
      doubts.put(node, before.again(nowNanos));
    }
  }

  /** A node was of use. */
  void answered(NodeId node) {
    doubts.remove(node);
  }

  /**
   * Whether a request may go to this node now rather than to another one. Once a doubt has lasted
   * its time, one request is let through to try, and the others wait for how it ends: what is sent
   * to a node that does not answer is lost time.
   */
  boolean admits(NodeId node, long nowNanos) {
    Doubt doubt = doubts.get(node);
    if (doubt == null) {
      return true;
    }
    if (doubt.holds(nowNanos)) {
      return false;
    }
    doubts.put(node, doubt.again(nowNanos));
    return true;
  }

  /** Whether others should be asked before this node, by whoever asks several at once. */
  boolean doubts(NodeId node, long nowNanos) {
    Doubt doubt = doubts.get(node);
    return doubt != null && doubt.holds(nowNanos);
  }
}

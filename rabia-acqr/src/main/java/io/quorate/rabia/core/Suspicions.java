package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import java.util.HashMap;
import java.util.Map;

/**
 * Which replicas seem to be gone (O5). A wrong suspicion costs null slots, nothing else; but where
 * all replicas are slow, the null slots make them slower. So whoever was suspected wrongly is given
 * twice the time from then on, and half of it again when that has not happened for a while.
 */
final class Suspicions {
  /** How often the time given can double. */
  private static final int DOUBLINGS_MAX = 4;

  /** After how many times the longest patience without a wrong suspicion it is halved. */
  private static final int FORGET_AFTER = 32;

  private static final class Standing {
    long heardAt = Long.MIN_VALUE;
    boolean suspected;
    int doublings;
    long changedAt;
  }

  private final long patience;
  private final Map<NodeId, Standing> standings = new HashMap<>();

  /**
   * @param patience how long a replica may be silent at least when something is expected of it
   */
  Suspicions(long patience) {
    this.patience = patience;
  }

  void heard(NodeId node, long now) {
    Standing standing = standings.computeIfAbsent(node, unheard -> new Standing());
    if (standing.suspected) {
      standing.doublings = Math.min(DOUBLINGS_MAX, standing.doublings + 1);
      standing.changedAt = now;
    } else if (standing.doublings > 0
        && now - standing.changedAt >= FORGET_AFTER * (patience << DOUBLINGS_MAX)) {
      standing.doublings--;
      standing.changedAt = now;
    }
    standing.suspected = false;
    standing.heardAt = now;
  }

  /** Suspects a replica that something is expected of since {@code since}. */
  void expect(NodeId node, long since, long now) {
    Standing standing = standings.computeIfAbsent(node, unheard -> new Standing());
    if (now - Math.max(since, standing.heardAt) >= patience << standing.doublings) {
      standing.suspected = true;
    }
  }

  boolean isSuspected(NodeId node) {
    Standing standing = standings.get(node);
    return standing != null && standing.suspected;
  }
}

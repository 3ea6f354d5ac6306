package io.quorate.rabia.core.members;

import io.quorate.model.NodeId;
import java.util.HashMap;
import java.util.Map;

/**
 * The slots up to which other replicas have executed. The values come from their reports and are
 * lower bounds.
 */
public final class PeerProgress {
  private static final long UNKNOWN = Long.MIN_VALUE / 2;

  private final Map<NodeId, Long> executed = new HashMap<>();
  private long highest = UNKNOWN;

  public void reported(NodeId peer, long executedSlot) {
    executed.merge(peer, executedSlot, Math::max);
    highest = Math.max(highest, executedSlot);
  }

  /**
   * The last slot that the peer has reported as executed; a very low number if it has reported
   * nothing.
   */
  public long executed(NodeId peer) {
    return executed.getOrDefault(peer, UNKNOWN);
  }

  public boolean hasReported(NodeId peer) {
    return executed.containsKey(peer);
  }

  /** The highest slot that any replica has reported as executed. */
  public long highest() {
    return highest;
  }
}

package io.quorate.ratis.health;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * Detects followers that stop responding to this node and followers that respond again, for its
 * log. Pure: the silence of each follower is a parameter. Not thread-safe.
 */
public final class PeerWatch {
  /** A change of one follower's state. */
  public record Change(RaftPeerId peer, boolean isLost) {}

  private final Duration lostAfter;
  private final Set<RaftPeerId> lost = new HashSet<>();

  /**
   * @param lostAfter a follower that has been silent for longer is lost
   */
  public PeerWatch(Duration lostAfter) {
    this.lostAfter = lostAfter;
  }

  /**
   * @param silences the time since each follower's last response. A follower that is left out
   *     follows another node now, which logs its changes.
   */
  public List<Change> observe(Map<RaftPeerId, Duration> silences) {
    lost.retainAll(silences.keySet());
    List<Change> changes = new ArrayList<>();
    silences.forEach(
        (peer, silence) -> {
          boolean isLost = silence.compareTo(lostAfter) > 0;
          boolean hasChanged = isLost ? lost.add(peer) : lost.remove(peer);
          if (hasChanged) {
            changes.add(new Change(peer, isLost));
          }
        });
    return changes;
  }
}

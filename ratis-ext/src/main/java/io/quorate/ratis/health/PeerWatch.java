package io.quorate.ratis.health;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * Which followers have stopped responding to this node, and which respond again, for its log. Pure:
 * how long each has been silent comes in. Not thread-safe.
 */
public final class PeerWatch {
  /** A change of one node's state. */
  public record Change(RaftPeerId peer, boolean isLost) {}

  private final Duration lostAfter;
  private final Set<RaftPeerId> lost = new HashSet<>();

  /**
   * @param lostAfter a node that has been silent for longer is lost
   */
  public PeerWatch(Duration lostAfter) {
    this.lostAfter = lostAfter;
  }

  /**
   * @param silences how long each follower has not responded. One that is left out follows another
   *     node now, whose log has what becomes of it.
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

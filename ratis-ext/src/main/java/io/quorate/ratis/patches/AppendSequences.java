package io.quorate.ratis.patches;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;

/**
 * The {@link AppendSequence} of each replica of a server. Thread-safe.
 *
 * <p>Part of {@link AppendSequence}.
 */
public final class AppendSequences {
  private final Map<RaftGroupId, AppendSequence> sequences = new ConcurrentHashMap<>();

  public AppendSequence of(RaftGroupId group, RaftServer.Division division) {
    AppendSequence known = sequences.get(group);
    return known != null && known.belongsTo(division)
        ? known
        : sequences.compute(
            group,
            (id, other) ->
                other != null && other.belongsTo(division) ? other : new AppendSequence(division));
  }

  /**
   * Whether no append request with entries of the replica is in flight, also if it never received
   * one.
   */
  public boolean isIdle(RaftGroupId group) {
    AppendSequence sequence = sequences.get(group);
    return sequence == null || sequence.isIdle();
  }
}

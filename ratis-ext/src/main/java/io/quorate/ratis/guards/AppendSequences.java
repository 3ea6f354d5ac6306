package io.quorate.ratis.guards;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;

/** The {@link AppendSequence} of each replica of a server. Thread-safe. */
final class AppendSequences {
  private final Map<RaftGroupId, AppendSequence> sequences = new ConcurrentHashMap<>();

  AppendSequence of(RaftGroupId group, RaftServer.Division division) {
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
  boolean isIdle(RaftGroupId group) {
    AppendSequence sequence = sequences.get(group);
    return sequence == null || sequence.isIdle();
  }
}

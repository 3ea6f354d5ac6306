package io.quorate.ratis.fence;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;

/** The {@link AppendSequence} of each replica of a server. Thread-safe. */
final class AppendSequences {
  private final Map<RaftGroupId, AppendSequence> sequences = new ConcurrentHashMap<>();

  AppendSequence of(RaftGroupId group, RaftServer.Division division) {
    AppendSequence known = sequences.get(group);
    return known != null && known.isOf(division)
        ? known
        : sequences.compute(
            group,
            (id, other) ->
                other != null && other.isOf(division) ? other : new AppendSequence(division));
  }

  /** Whether the log of a replica has no request under way; so also where none ever came. */
  boolean isSettled(RaftGroupId group) {
    AppendSequence sequence = sequences.get(group);
    return sequence == null || sequence.isSettled();
  }
}

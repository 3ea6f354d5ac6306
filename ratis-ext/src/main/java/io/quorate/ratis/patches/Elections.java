package io.quorate.ratis.patches;

import io.quorate.replication.quorum.Majority;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.Leaders;

/**
 * The {@link ReceivedVotes} of each replica of a server, and what follows. Thread-safe.
 *
 * <p>Ratis 3.3.0 counts the votes of a term, and begins to lead in the term that is present a
 * moment later (decision 0059).
 *
 * <p>Upstream: not reported. Fails without it: {@code UnelectedLeaderTest}. Can go when Ratis
 * begins to lead only in the term of its votes.
 */
public final class Elections {
  private record Replica(RaftServer.Division division, ReceivedVotes votes) {}

  private final Map<RaftGroupId, Replica> replicas = new ConcurrentHashMap<>();

  /** The votes for a replica; none for one whose group was closed and opened again. */
  public ReceivedVotes of(RaftGroupId group, RaftServer.Division division) {
    return replicas
        .compute(
            group,
            (id, known) ->
                known != null && known.division() == division
                    ? known
                    : new Replica(division, new ReceivedVotes()))
        .votes();
  }

  /**
   * Checks a replica that is about to lead, before its first entry; later calls in the same term
   * have no effect. Does not block for long: the replica's term is on disk.
   *
   * @throws IllegalStateException if it was not elected in its term; it is a follower then
   */
  public void requireElected(RaftServer.Division division) {
    long term = division.getInfo().getCurrentTerm();
    RaftConfiguration members = division.getRaftConf();
    Majority<RaftPeerId> needed =
        new Majority<>(
            members.getCurrentPeers().stream().map(RaftPeer::getId).toList(),
            members.getPreviousPeers().stream().map(RaftPeer::getId).toList());
    RaftGroupId group = division.getGroup().getGroupId();
    if (!of(group, division).areEnough(term, division.getId(), needed)) {
      Leaders.stepDown(division);
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "Votes were received in another term than %d; %s does not lead in it.",
              term,
              division.getMemberId()));
    }
  }
}

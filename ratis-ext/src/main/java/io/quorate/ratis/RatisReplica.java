package io.quorate.ratis;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.ratis.quorum.RequestsInFlight;
import io.quorate.replication.coded.GroupMembers;
import io.quorate.replication.coded.Replica;
import io.quorate.replication.coded.Standing;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;

/** A member as the replication of bodies needs it. Any thread; nothing blocks. */
final class RatisReplica {
  private final RaftServer.Division division;
  private final RatisStateMachine stateMachine;
  private final Supplier<Map<RaftPeerId, Duration>> silences;
  private final Duration followerTimeout;

  private RatisReplica(
      RaftServer.Division division,
      RatisStateMachine stateMachine,
      Supplier<Map<RaftPeerId, Duration>> silences,
      Duration followerTimeout) {
    this.division = division;
    this.stateMachine = stateMachine;
    this.silences = silences;
    this.followerTimeout = followerTimeout;
  }

  /**
   * @param silences the time since each follower's last response; empty if this replica does not
   *     lead
   * @param followerTimeout how long a follower may be silent
   * @param connect connects to nodes that are about to be members
   */
  static Replica of(
      RaftServer.Division division,
      RatisStateMachine stateMachine,
      Supplier<Map<RaftPeerId, Duration>> silences,
      Duration followerTimeout,
      Consumer<List<NodeId>> connect,
      Proposer proposer,
      RequestsInFlight load) {
    RatisReplica replica = new RatisReplica(division, stateMachine, silences, followerTimeout);
    return new Replica(
        replica::standing,
        replica::members,
        replica::responsive,
        connect,
        command -> load.track(proposer.propose(command)).toCompletableFuture());
  }

  private Standing standing() {
    DivisionInfo info = division.getInfo();
    long term = info.getCurrentTerm();
    return new Standing(
        term,
        leads(info, term, stateMachine.delivered()),
        Optional.ofNullable(info.getLeaderId()).map(RaftIds::node));
  }

  /**
   * Whether a replica leads in a term, which was its present one before it was at a position. Ratis
   * changes role and term one after the other, in no documented order. A replica whose term does
   * not change while it leads, and which has applied an entry of that term, leads in that term:
   * entries of a term reach a log only from its leader, and a follower of that leader would have
   * given up its role before it received one.
   *
   * @param delivered the last position that was delivered to the state machine
   */
  static boolean leads(DivisionInfo info, long term, Position delivered) {
    return delivered.epoch() == term && info.isLeader() && info.getCurrentTerm() == term;
  }

  private GroupMembers members() {
    RaftConfiguration configuration = division.getRaftConf();
    List<NodeId> current = nodes(configuration.getCurrentPeers());
    List<NodeId> previous = nodes(configuration.getPreviousPeers());
    return previous.isEmpty()
        ? new GroupMembers(current, Optional.empty())
        : new GroupMembers(previous, Optional.of(current));
  }

  private static List<NodeId> nodes(Collection<RaftPeer> peers) {
    return peers.stream().map(peer -> RaftIds.node(peer.getId())).toList();
  }

  private List<NodeId> responsive() {
    return silences.get().entrySet().stream()
        .filter(silence -> silence.getValue().compareTo(followerTimeout) <= 0)
        .sorted(Map.Entry.comparingByValue())
        .map(silence -> RaftIds.node(silence.getKey()))
        .toList();
  }
}

package io.quorate.ratis;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Guarantee;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.ratis.quorum.RequestsInFlight;
import io.quorate.ratis.read.ReadIndex;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;

/** One replica of a Raft group. */
final class RatisGroup implements ConsensusGroup {
  private record CachedMembers(RaftConfiguration configuration, List<Member> members) {}

  private final RaftServer.Division division;
  private final Proposer proposer;
  private final ReadIndex reads;
  private final RequestsInFlight load;
  private final boolean leases;
  private final Supplier<Position> delivered;
  private final ReplicaProblem problem;
  private final List<GroupControl> controls;
  private final Runnable onClose;

  /** Null before the first call of {@link #members}. */
  private volatile CachedMembers cachedMembers;

  /**
   * @param delivered the last position that was delivered to the state machine
   * @param problem why this replica takes no part in its group although it runs
   */
  RatisGroup(
      RaftServer.Division division,
      Proposer proposer,
      ReadIndex reads,
      RequestsInFlight load,
      boolean leases,
      Supplier<Position> delivered,
      ReplicaProblem problem,
      List<GroupControl> controls,
      Runnable onClose) {
    this.division = division;
    this.proposer = proposer;
    this.reads = reads;
    this.load = load;
    this.leases = leases;
    this.delivered = delivered;
    this.problem = problem;
    this.controls = List.copyOf(controls);
    this.onClose = onClose;
  }

  @Override
  public CompletionStage<ProposeResult> propose(Command command) {
    // Checked here and not by Ratis, so that no command waits in the queue of a follower.
    if (!division.getInfo().isLeader()) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Redirect(leader(division.getInfo())));
    }
    return load.track(proposer.propose(command));
  }

  @Override
  public CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope) {
    return switch (guarantee.kind()) {
      case LINEARIZABLE -> load.track(reads.readIndex(false));
      case LINEARIZABLE_IF_CLOCKS_BOUNDED ->
          leases
              ? reads.readIndex(true)
              : CompletableFuture.failedFuture(
                  new ConsensusException.Invalid("Leases are off (raft.lease)."));
      case AT_LEAST ->
          CompletableFuture.completedFuture(((Guarantee.AtLeast) guarantee).position());
      case LOCAL -> CompletableFuture.completedFuture(Position.NONE);
    };
  }

  /**
   * Ratis regards a leader as ready a moment before it delivers the first entry of the leader's
   * term; bodies are accepted from then on only, see {@link RatisReplica}.
   */
  @Override
  public GroupStatus view() {
    DivisionInfo info = division.getInfo();
    long term = info.getCurrentTerm();
    return new GroupStatus(
        term,
        members(),
        leader(info),
        info.isLeaderReady()
            && RatisReplica.leads(info, term, delivered.get())
            && !problem.commitsNothing(),
        new Position(term, division.getRaftLog().getLastCommittedIndex()),
        !info.isAlive(),
        false,
        reads.followers().lost().stream().map(RaftIds::node).collect(Collectors.toSet()),
        problem.text(division));
  }

  /**
   * The members in force: the former ones until the new configuration is in the log. Cached,
   * because it is called very often and the result rarely changes.
   */
  private List<Member> members() {
    RaftConfiguration present = division.getRaftConf();
    CachedMembers known = cachedMembers;
    if (known == null || known.configuration() != present) {
      Collection<RaftPeer> former = present.getPreviousPeers();
      Collection<RaftPeer> peers = former.isEmpty() ? present.getCurrentPeers() : former;
      List<Member> members = peers.stream().map(RaftIds::member).toList();
      known = new CachedMembers(present, members);
      cachedMembers = known;
    }
    return known.members();
  }

  @Override
  public <T extends GroupControl> Optional<T> control(Class<T> type) {
    return controls.stream().filter(type::isInstance).findFirst().map(type::cast);
  }

  @Override
  public void close() {
    onClose.run();
  }

  private static Optional<NodeId> leader(DivisionInfo info) {
    return Optional.ofNullable(info.getLeaderId()).map(RaftIds::node);
  }
}

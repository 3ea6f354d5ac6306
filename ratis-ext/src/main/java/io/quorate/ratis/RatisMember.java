package io.quorate.ratis;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.NodeId;
import io.quorate.ratis.flow.UnappliedLog;
import io.quorate.ratis.guards.JoinedReplica;
import io.quorate.ratis.health.DiskHealth;
import io.quorate.ratis.health.NewMembers;
import io.quorate.ratis.health.StalledLeader;
import io.quorate.ratis.heartbeat.IdleFollower;
import io.quorate.ratis.hibernation.MembersBehind;
import io.quorate.ratis.log.EntryLog;
import io.quorate.ratis.quorum.FollowerReadService;
import io.quorate.ratis.quorum.ReadMetrics;
import io.quorate.ratis.read.ConfirmationReceiver;
import io.quorate.ratis.read.ConfirmationSender;
import io.quorate.ratis.read.Followers.Follower;
import io.quorate.ratis.read.ReadIndex;
import io.quorate.ratis.rpc.RaftMessageHandlers.Following;
import io.quorate.ratis.settings.RatisSettings;
import io.quorate.replication.coded.BodyNode;
import io.quorate.replication.coded.BodyService;
import io.quorate.replication.threads.LoopTask;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.PeerTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of this node's replica of one group.
 *
 * <p>It is created before Ratis' division, because Ratis starts the division with our state
 * machine, and the division may lead before the caller that started it is notified.
 */
final class RatisMember {
  private static final Logger LOG = LoggerFactory.getLogger(RatisMember.class);

  private final GroupSpec spec;
  private final RaftGroup group;
  private final RatisSettings settings;
  private final RatisThreads threads;
  private final DiskHealth health;
  private final ConfirmationSender confirmations;
  private final ReplicatedStateMachine machine;
  private final EntryLog log;
  private final MemberSnapshots snapshots;
  private final RatisStateMachine stateMachine;
  private final JoinedReplica joined;
  private final ReplicaProblem problem = new ReplicaProblem();
  private final FollowerReadService.Node readNode;
  private final FollowerReadService replicaReads;
  private final Optional<BodyService> bodies;
  private final ReplicaTransport replicaTransport;
  private final Proposer proposer;
  private final MemberMetrics metrics;
  private volatile RaftServer.Division division;
  private ReadIndex reads;
  private LogPurger purger;
  private StalledLeader stalledLeader;
  private final NewMembers newMembers = new NewMembers();
  private final LoopTask notifying;

  /**
   * @param log of the replica, which is closed with Ratis' division
   */
  RatisMember(
      GroupSpec spec,
      EntryLog log,
      EngineContext context,
      RatisSettings settings,
      PeerTransport transport,
      RatisThreads threads,
      FollowerReadService.Node readNode,
      Optional<BodyNode> bodyNode,
      DiskHealth health,
      ConfirmationSender confirmations,
      ReplicatedStateMachine machine)
      throws IOException {
    this.spec = spec;
    this.log = log;
    this.joined = new JoinedReplica(spec.joinedBy() > 0, log.states());
    this.group = RaftIds.group(spec);
    this.settings = settings;
    this.threads = threads;
    this.health = health;
    this.confirmations = confirmations;
    this.readNode = readNode;
    this.bodies = bodyNode.map(owner -> new BodyService(spec, owner));
    this.machine = machine;
    this.snapshots =
        new MemberSnapshots(context, spec, settings, threads, machine, this::replicaTransport);
    this.stateMachine =
        new RatisStateMachine(
            machine,
            log,
            snapshots,
            threads.loops(),
            threads.messages(),
            threads.fetches(),
            threads.housekeeping(),
            new UnappliedLog(
                settings.log().unappliedEntriesMax(), settings.log().unappliedBytesMax()),
            new Events(context));
    this.replicaReads =
        new FollowerReadService(
            readNode,
            settings.reads().quorum(),
            new ReadMetrics(context.telemetry(), spec.group()),
            EntryCodec::decode,
            machine::writeSet,
            stateMachine::delivered,
            joined::hasCaughtUp);
    this.replicaTransport = new ReplicaTransport(transport, context, spec, handlers());
    this.metrics =
        new MemberMetrics(
            context.telemetry(),
            spec.group(),
            this::respondingFollowers,
            this::lostFollowers,
            this::contradictingLeaders,
            stateMachine.unapplied());
    this.proposer =
        new Proposer(
            settings,
            threads.loops()::runLater,
            (task, nanos) -> threads.timer().schedule(task, nanos, TimeUnit.NANOSECONDS),
            log::hasRoom,
            new EntrySubmission(spec.group(), () -> division, threads.loops()),
            new ProposerMetrics(context.telemetry(), spec.group()));
    this.notifying = new LoopTask(threads.loops(), stateMachine::repeatNotification);
    log.listen(proposer::submitMore, stateMachine::logFailed);
  }

  /** What the state machine tells of its group. */
  private final class Events implements RatisStateMachine.Events {
    private final EngineContext context;

    Events(EngineContext context) {
      this.context = context;
    }

    @Override
    public void leads() {
      LOG.info("This node leads a region region={}", spec.group());
    }

    @Override
    public void notLeader() {
      stopLeading();
    }

    @Override
    public void truncated(long first) {
      replicaReads.truncated(first);
    }

    @Override
    public void advanced() {
      replicaReads.advanced();
    }

    @Override
    public void membersChanged(long index, List<NodeId> members) {
      replicaTransport.setMembers(index, members);
    }

    @Override
    public void removed() {
      LOG.info("This replica is no longer a member of its region region={}", spec.group());
    }

    @Override
    public void failed(ConsensusException.Fatal reason) {
      context.fatal().accept(reason);
    }
  }

  private Map<Byte, GroupRequests.Handler> handlers() {
    Map<Byte, GroupRequests.Handler> handlers = new HashMap<>(replicaReads.handlers());
    handlers.putAll(snapshots.handlers());
    bodies.ifPresent(service -> handlers.putAll(service.handlers()));
    return handlers;
  }

  RaftGroup group() {
    return group;
  }

  EntryLog log() {
    return log;
  }

  GroupSpec spec() {
    return spec;
  }

  JoinedReplica joined() {
    return joined;
  }

  /** Why this replica takes no part in its group although it runs. */
  ReplicaProblem problem() {
    return problem;
  }

  RatisStateMachine stateMachine() {
    return stateMachine;
  }

  FollowerReadService replicaReads() {
    return replicaReads;
  }

  /** Empty without coded replication. */
  Optional<BodyService> bodies() {
    return bodies;
  }

  /** Receives requests of other replicas from now on. */
  void join() {
    replicaTransport.join();
  }

  ReplicaTransport replicaTransport() {
    return replicaTransport;
  }

  Proposer proposer() {
    return proposer;
  }

  /** Called as soon as Ratis' division is known, by the first caller that has it. */
  synchronized ReadIndex attach(RaftServer.Division started) {
    if (division == null) {
      joined.opened(started);
      reads =
          new ReadIndex(
              started,
              settings.reads().confirmTimeout(),
              settings.leaseGrant(),
              settings.elections().leaseDrift(),
              health::isLogResponsive,
              Optional.of(confirmations),
              threads.loops());
      purger = new LogPurger(started, log, machine, settings);
      stalledLeader =
          new StalledLeader(
              started,
              reads,
              health,
              settings.elections().timeoutMin(),
              threads.transfers(),
              new Proposals());
      replicaReads.start(started, reads, replicaTransport.requests());
      // The log may have other members than those with which the group is opened.
      RaftConfiguration configuration = started.getRaftConf();
      replicaTransport.setMembers(
          configuration.getLogEntryIndex(),
          configuration.getAllPeers().stream().map(peer -> RaftIds.node(peer.getId())).toList());
      bodies.ifPresent(
          service ->
              service.start(
                  RatisReplica.of(
                      started,
                      stateMachine,
                      this::silences,
                      settings.followerTimeout(),
                      replicaTransport::add,
                      proposer,
                      readNode.load()),
                  replicaTransport.requests(),
                  replicaTransport::others));
      // Set last: a thread that reads it without the lock also sees the other fields.
      division = started;
    }
    return reads;
  }

  /**
   * The present term of this replica, at least that of any vote it has sent; {@link
   * ConfirmationReceiver#NO_REPLICA} before Ratis has started it. Does not block.
   */
  long term() {
    RaftServer.Division current = division;
    return current == null ? ConfirmationReceiver.NO_REPLICA : current.getInfo().getCurrentTerm();
  }

  /** Whether this replica follows a leader in a term. Any thread; does not block. */
  boolean follows(NodeId leader, long term) {
    RaftServer.Division current = division;
    return current != null && Following.follows(current.getInfo(), leader, term);
  }

  /** Whether Ratis has started the division. Any thread. */
  boolean isOpen() {
    return division != null;
  }

  LogAppender newLogAppender(RaftServer.Division leader, LeaderState state, FollowerInfo follower) {
    newMembers.appending(state, follower);
    return attach(leader).newLogAppender(state, follower);
  }

  /** The progress of this replica. Does not block. */
  DiskHealth.Progress progress() {
    RaftServer.Division current = division;
    return current == null
        ? DiskHealth.Progress.NONE
        : DiskHealth.Progress.of(current.getRaftLog(), stateMachine.delivered(), machine.applied());
  }

  private double lostFollowers() {
    return division == null ? 0 : reads.followers().lost().size();
  }

  private double contradictingLeaders() {
    RaftServer.Division current = division;
    return current == null || problem.contradictedBy(current).isEmpty() ? 0 : 1;
  }

  /** The time since each follower's last response; empty if this replica does not lead. */
  Map<RaftPeerId, Duration> silences() {
    RaftServer.Division current = division;
    if (current == null || !current.getInfo().isLeader()) {
      return Map.of();
    }
    return reads.followers().members().stream()
        .collect(Collectors.toMap(Follower::id, Follower::silent));
  }

  /**
   * The followers that receive only heartbeats; none if these request lease grants, or if this
   * replica does not lead.
   */
  List<IdleFollower> idleFollowers() {
    RaftServer.Division current = division;
    if (settings.elections().leaseDrift().isPresent()
        || current == null
        || !current.getInfo().isLeader()) {
      return List.of();
    }
    long term = current.getInfo().getCurrentTerm();
    try {
      return reads.followers().idle().stream()
          .map(
              follower ->
                  new IdleFollower(
                      group.getGroupId(), term, RaftIds.node(follower.getId()), follower))
          .toList();
    } catch (IllegalStateException e) {
      // Ratis closes the log of a leader before it ends the leadership.
      return List.of();
    }
  }

  /**
   * The members that lack entries or do not respond; empty unless this replica leads, a majority
   * has all entries, and the members do not change. Does not block.
   */
  Optional<MembersBehind> behind() {
    RaftServer.Division current = division;
    if (current == null
        || !current.getInfo().isLeader()
        || !current.getRaftConf().getPreviousPeers().isEmpty()) {
      return Optional.empty();
    }
    Set<NodeId> behind =
        current.getRaftConf().getCurrentPeers().stream()
            .map(peer -> RaftIds.node(peer.getId()))
            .collect(Collectors.toCollection(HashSet::new));
    int members = behind.size();
    behind.remove(RaftIds.node(current.getId()));
    idleFollowers().forEach(follower -> behind.remove(follower.node()));
    boolean respond =
        silences().entrySet().stream()
            .filter(peer -> behind.contains(RaftIds.node(peer.getKey())))
            .anyMatch(peer -> peer.getValue().compareTo(settings.followerTimeout()) <= 0);
    return members - behind.size() > members / 2
        ? Optional.of(new MembersBehind(behind, respond))
        : Optional.empty();
  }

  private double respondingFollowers() {
    RaftServer.Division current = division;
    return current == null || !current.getInfo().isLeader()
        ? Double.NaN
        : silences().values().stream()
            .filter(silence -> silence.compareTo(settings.followerTimeout()) <= 0)
            .count();
  }

  /** The members according to the log, or, before it is read, those this replica opened with. */
  List<Member> members() {
    RaftServer.Division current = division;
    return current == null
        ? spec.members()
        : current.getRaftConf().getAllPeers().stream().map(RaftIds::member).toList();
  }

  /** Whether the leader is known at this replica. Does not block. */
  boolean hasLeader() {
    RaftServer.Division current = division;
    return current != null && current.getInfo().getLeaderId() != null;
  }

  /** To be called many times a second, on the timer. Does not block. */
  void tick(long nowNanos) {
    if (division != null) {
      reads.giveUpOverdue();
      stalledLeader.tick(nowNanos);
      if (problem.watchCommits(division, nowNanos)) {
        stalledLeader.stepDown("it commits nothing although entries wait");
      }
      replicaReads.tidy();
      bodies.ifPresent(service -> service.tick(nowNanos));
      if (stateMachine.isInstalling()) {
        notifying.wake();
      }
    }
  }

  /** To be called about every second, on the timer. Does not block. */
  void checkNewMembers() {
    RaftServer.Division current = division;
    if (current != null && current.getInfo().isLeader()) {
      newMembers.check();
    }
  }

  /** To be called once a purge interval. May wait for the log, unless an earlier call does. */
  void cleanUp() {
    if (division != null && !stateMachine.isInstalling()) {
      purger.purge();
    }
    snapshots.dropIdle();
    replicaTransport.connect();
  }

  /** The proposals of this replica, for a leadership transfer because this replica cannot lead. */
  private final class Proposals implements StalledLeader.Proposals {
    @Override
    public void pause() {
      proposer.pause();
    }

    @Override
    public void resume() {
      proposer.resume();
    }

    @Override
    public void abandon() {
      metrics.stalled();
      proposer.abandon(
          "The leader has transferred its leadership, because its disk does not respond.");
    }
  }

  /** To be called before Ratis' division is closed. */
  void startClosing() {
    replicaTransport.leave();
    stateMachine.startClosing();
    snapshots.close();
    replicaReads.close();
    bodies.ifPresent(BodyService::close);
    stopLeading();
    proposer.close();
  }

  private void stopLeading() {
    ReadIndex current;
    synchronized (this) {
      current = reads;
    }
    if (current != null) {
      current.stopLeading();
    }
  }
}

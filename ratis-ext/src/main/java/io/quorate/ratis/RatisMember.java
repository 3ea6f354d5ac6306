package io.quorate.ratis;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Failures;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Host;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.consensus.Telemetry;
import io.quorate.consensus.snapshot.SnapshotFetcher;
import io.quorate.consensus.snapshot.SnapshotSender;
import io.quorate.ratis.flow.UnappliedLog;
import io.quorate.ratis.health.DiskHealth;
import io.quorate.ratis.health.StalledLeader;
import io.quorate.ratis.quorum.ReadMetrics;
import io.quorate.ratis.quorum.ReplicaReads;
import io.quorate.ratis.read.ConfirmedReads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.raftlog.RaftLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that make up this node's replica of one group, and the way a proposal takes into Ratis.
 *
 * <p>It exists before Ratis' own member does, because that one is started with our state machine
 * and may lead before whoever asked for it hears that it runs.
 */
final class RatisMember {
  private static final Logger LOG = LoggerFactory.getLogger(RatisMember.class);

  private final NodeId node;
  private final GroupSpec spec;
  private final RaftGroup group;
  private final RatisSettings settings;
  private final RaftProperties properties;
  private final RatisThreads threads;
  private final DiskHealth health;
  private final ReplicatedStateMachine machine;
  private final SnapshotSender snapshotSender;
  private final Path incomingSnapshots;
  private final RatisStateMachine stateMachine;
  private final ReplicaReads replicaReads;
  private final Proposer proposer;
  private final Telemetry.Counter handOversOfStalled;
  private final ClientId self = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  private volatile RaftServer.Division division;
  private ConfirmedReads reads;
  private LogPurger purger;
  private StalledLeader stalledLeader;
  private final AtomicBoolean cleaning = new AtomicBoolean();
  private final AtomicBoolean reminding = new AtomicBoolean();

  RatisMember(
      GroupSpec spec,
      Host host,
      RatisSettings settings,
      RaftProperties properties,
      RatisThreads threads,
      ReplicaReads.Node reading,
      DiskHealth health,
      ReplicatedStateMachine machine)
      throws IOException {
    this.node = host.self();
    this.spec = spec;
    this.group = raftGroup(spec);
    this.settings = settings;
    this.properties = properties;
    this.threads = threads;
    this.health = health;
    this.machine = machine;
    Path snapshots = host.directory().resolve("snapshots").resolve(spec.group().toString());
    this.incomingSnapshots = snapshots.resolve("incoming");
    this.snapshotSender =
        new SnapshotSender(
            machine::exportSnapshot,
            new SnapshotLog(spec.group()),
            snapshots.resolve("outgoing"),
            settings.snapshotChunkBytes(),
            settings.snapshotIdleTimeout(),
            threads.files());
    this.stateMachine =
        new RatisStateMachine(
            machine,
            snapshotSender,
            this::fetchSnapshot,
            threads.fetches(),
            threads.housekeeping(),
            new UnappliedLog(settings.unappliedEntriesMax(), settings.unappliedBytesMax()),
            new RatisStateMachine.Events() {
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
              public void failed(ConsensusException.Fatal reason) {
                host.fatal().accept(reason);
              }
            });
    this.replicaReads =
        new ReplicaReads(
            reading,
            settings.quorumBounds(),
            new ReadMetrics(host.telemetry(), spec.group()),
            EntryCodec::decode,
            machine::footprint,
            stateMachine::handedOver);
    this.handOversOfStalled =
        host.telemetry()
            .counter(
                "raft.leader.stalled",
                "Hand-overs because a disk did not respond or nothing was applied",
                Map.of("region", spec.group().toString()));
    measure(host.telemetry());
    this.proposer =
        new Proposer(
            settings,
            threads.proposals(),
            this::submit,
            new ProposerMetrics(host.telemetry(), spec.group()));
  }

  private void measure(Telemetry telemetry) {
    Map<String, String> tags = Map.of("region", spec.group().toString());
    telemetry.gauge(
        "raft.followers.responding",
        "Followers that responded lately; not a number where this replica does not lead",
        tags,
        this::respondingFollowers);
    UnappliedLog unapplied = stateMachine.unapplied();
    telemetry.gauge(
        "raft.unapplied.entries", "Entries received and not applied", tags, unapplied::entries);
    telemetry.gauge(
        "raft.unapplied.bytes",
        "Bytes of the entries received and not applied",
        tags,
        unapplied::bytes);
  }

  RaftGroup group() {
    return group;
  }

  GroupSpec spec() {
    return spec;
  }

  RatisStateMachine stateMachine() {
    return stateMachine;
  }

  ReplicaReads replicaReads() {
    return replicaReads;
  }

  Proposer proposer() {
    return proposer;
  }

  /** Called as soon as Ratis' own member is known, from whichever side that is. */
  synchronized ConfirmedReads attach(RaftServer.Division started) {
    if (division == null) {
      reads =
          new ConfirmedReads(
              started,
              settings.confirmTimeout(),
              settings.leasePromise(),
              settings.leaseDrift(),
              health::isLogResponsive);
      purger = new LogPurger(started, machine, settings);
      stalledLeader =
          new StalledLeader(
              started,
              reads,
              health,
              settings.electionTimeoutMin(),
              threads.handOvers(),
              new Proposals());
      replicaReads.start(started, reads);
      // Last: whoever sees it, without the lock, sees the others too.
      division = started;
    }
    return reads;
  }

  LogAppender newLogAppender(RaftServer.Division leader, LeaderState state, FollowerInfo follower) {
    return attach(leader).newLogAppender(state, follower);
  }

  /** How far this replica is. Does not block. */
  DiskHealth.Progress progress() {
    RaftServer.Division mine = division;
    if (mine == null) {
      return DiskHealth.Progress.NONE;
    }
    try {
      RaftLog log = mine.getRaftLog();
      return new DiskHealth.Progress(
          log.getNextIndex() - 1,
          log.getFlushIndex(),
          stateMachine.handedOver().index(),
          machine.applied().index());
    } catch (IllegalStateException e) {
      // The log is being closed.
      return DiskHealth.Progress.NONE;
    }
  }

  /** How long each follower of this replica has not responded; empty where it does not lead. */
  Map<RaftPeerId, Duration> silences() {
    RaftServer.Division mine = division;
    if (mine == null || !mine.getInfo().isLeader()) {
      return Map.of();
    }
    return reads.followers().stream()
        .collect(Collectors.toMap(ConfirmedReads.Follower::id, ConfirmedReads.Follower::silent));
  }

  private double respondingFollowers() {
    RaftServer.Division mine = division;
    return mine == null || !mine.getInfo().isLeader()
        ? Double.NaN
        : silences().values().stream()
            .filter(silence -> silence.compareTo(settings.followerPatience()) <= 0)
            .count();
  }

  /** Whether this replica knows a leader. Does not block. */
  boolean hasLeader() {
    RaftServer.Division mine = division;
    return mine != null && mine.getInfo().getLeaderId() != null;
  }

  /** Many times a second, on the timer. Does not block. */
  void tick(long nowNanos) {
    if (division != null) {
      reads.giveUpOverdue();
      stalledLeader.tick(nowNanos);
      replicaReads.tidy();
      if (stateMachine.isInstalling()) {
        once(reminding, stateMachine::remindOfInstallation);
      }
    }
  }

  /** Once a purge interval, on the timer. Does not block. */
  void cleanUp() {
    once(cleaning, this::cleanUpNow);
  }

  private void cleanUpNow() {
    if (division != null && !stateMachine.isInstalling()) {
      purger.purge();
    }
    snapshotSender.dropIdle();
  }

  /** Has a chore done that may wait for Ratis' locks, unless the last one still does. */
  private void once(AtomicBoolean underWay, Runnable chore) {
    if (!underWay.compareAndSet(false, true)) {
      return;
    }
    try {
      threads
          .housekeeping()
          .execute(
              () -> {
                try {
                  chore.run();
                } catch (RuntimeException e) {
                  LOG.warn("A chore of a group failed region={}", spec.group(), e);
                } finally {
                  underWay.set(false);
                }
              });
    } catch (RejectedExecutionException e) {
      underWay.set(false);
    }
  }

  /** What is proposed here, for a hand-over because this replica cannot lead. */
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
      handOversOfStalled.add(1);
      proposer.abandon("The leader has handed over, because its disk does not respond.");
    }
  }

  /** Before Ratis' own member is closed. */
  void startClosing() {
    stateMachine.startClosing();
    snapshotSender.close();
    replicaReads.close();
    stopLeading();
    proposer.close();
  }

  private void stopLeading() {
    ConfirmedReads mine;
    synchronized (this) {
      mine = reads;
    }
    if (mine != null) {
      mine.stopLeading();
    }
  }

  private CompletableFuture<Optional<ConsensusException>> submit(PendingEntry entry) {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(self)
            .setServerId(division.getId())
            .setGroupId(group.getGroupId())
            .setCallId(calls.incrementAndGet())
            .setMessage(entry)
            .setType(RaftClientRequest.writeRequestType())
            .build();
    CompletableFuture<RaftClientReply> reply;
    RaftPoints.BEFORE_PROPOSE.passed(spec.group());
    try {
      reply = ((RaftClientAsynchronousProtocol) division).submitClientRequestAsync(request);
    } catch (IOException | RuntimeException e) {
      // Ratis throws whatever it likes once its log is closed.
      reply = CompletableFuture.failedFuture(e);
    }
    RaftPoints.AFTER_PROPOSE.passed(spec.group());
    return reply.handle(
        (answer, failure) -> {
          Throwable cause = failure == null ? answer.getException() : Failures.unwrap(failure);
          return Optional.ofNullable(cause)
              .map(why -> ProposalFailure.classify(why, entry.mayBeInLog()));
        });
  }

  private CompletableFuture<SnapshotFetcher.Fetched> fetchSnapshot(RaftPeerId leader) {
    return new SnapshotFetcher(
            node.value(), incomingSnapshots, settings.snapshotChunkBytes(), threads.fetches())
        .fetch(() -> new LeaderSource(clientOf(leader), leader))
        .whenComplete(
            (fetched, failure) -> {
              if (failure == null) {
                LOG.info(
                    "Fetched a snapshot region={} leader={} position={} bytes={}",
                    spec.group(),
                    leader,
                    fetched.position(),
                    fetched.bytes());
              }
            });
  }

  private RaftClient clientOf(RaftPeerId leader) {
    return RaftClient.newBuilder()
        .setProperties(RatisProperties.forClients(properties, settings.snapshotIdleTimeout()))
        .setRaftGroup(group)
        .setLeaderId(leader)
        .setRetryPolicy(RetryPolicies.noRetry())
        .build();
  }

  /** Replicas of another cluster name their groups differently, and so are never heard. */
  static RaftGroupId groupId(GroupSpec spec) {
    String name = spec.cluster() + "/" + spec.group();
    return RaftGroupId.valueOf(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
  }

  private static RaftGroup raftGroup(GroupSpec spec) {
    // All of one priority: Ratis lets only the highest take over, and would force it to.
    return RaftGroup.valueOf(
        groupId(spec),
        spec.members().stream()
            .map(
                member ->
                    RaftPeer.newBuilder()
                        .setId(RaftPeerId.valueOf(member.node().value()))
                        .setAddress(
                            member.address().getHostString() + ":" + member.address().getPort())
                        .build())
            .toList());
  }
}

package io.quorate.ratis;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Host;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.ratis.fence.FencedRpcType;
import io.quorate.ratis.fence.PeerRequests;
import io.quorate.ratis.fence.ReplicaCondition;
import io.quorate.ratis.flow.BoundedRpcType;
import io.quorate.ratis.health.DiskHealth;
import io.quorate.ratis.health.PeerProbe;
import io.quorate.ratis.health.PeerWatch;
import io.quorate.ratis.log.CacheEviction;
import io.quorate.ratis.log.LogInspection;
import io.quorate.ratis.metrics.TelemetryRegistries;
import io.quorate.ratis.quorum.PeerChannel;
import io.quorate.ratis.quorum.ReplicaReads;
import io.quorate.ratis.quorum.RequestsInFlight;
import io.quorate.ratis.read.ConfirmedReads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One Raft server a node, with any number of groups. */
final class RatisEngine implements ConsensusEngine {
  private static final Logger LOG = LoggerFactory.getLogger(RatisEngine.class);
  private static final Duration TICK = Duration.ofMillis(50);
  private static final Duration PEER_WATCH_INTERVAL = Duration.ofMillis(500);

  /** Longer than an ordinary election takes. */
  private static final Duration PEER_PROBE_INTERVAL = Duration.ofSeconds(3);

  private final Host host;
  private final RatisSettings settings;
  private final Capabilities capabilities;
  private final RaftProperties properties;
  private final RatisThreads threads = new RatisThreads();
  private final DiskHealth health;

  /** Used by the thread for probes alone. */
  private final PeerProbe peerProbe = new PeerProbe();

  /** Used by the timer alone. */
  private final PeerWatch peerWatch;

  /** Used by the timer alone. */
  private boolean isDiskReported;

  private final Map<RaftGroupId, RatisMember> members = new ConcurrentHashMap<>();
  private final PeerChannel channel;
  private final ReplicaReads.Node reading;
  private final RaftServer server;
  private final ClientId self = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private boolean closed;

  private RatisEngine(Host host, RatisSettings settings, Capabilities capabilities)
      throws IOException {
    this.host = host;
    this.settings = settings;
    this.capabilities = capabilities;
    this.properties = RatisProperties.of(settings, host.listen());
    this.health = new DiskHealth(settings.diskStallTimeout(), TICK);
    this.peerWatch = new PeerWatch(settings.followerPatience());
    host.telemetry()
        .gauge(
            "raft.disk.stalled",
            "1 while nothing written to the logs gets to the disk",
            Map.of(),
            () -> health.isLogResponsive() ? 0 : 1);
    this.channel =
        new PeerChannel(
            RatisProperties.forClients(properties, settings.readTimeout()), threads.files());
    this.reading =
        new ReplicaReads.Node(
            host.self(),
            channel,
            new RequestsInFlight(),
            threads.reads(),
            threads.timer(),
            threads.files());
    Files.createDirectories(groups());
    // Ratis starts every group it finds when a server is made. Groups start here one by one, when
    // their state machines are there, so it is shown the directory only afterwards.
    RatisProperties.setStorage(properties, host.directory().resolve("no-groups-yet"));
    this.server =
        RaftServer.newBuilder()
            .setServerId(RaftPeerId.valueOf(host.self().value()))
            .setStateMachineRegistry(id -> members.get(id).stateMachine())
            .setProperties(properties)
            .setParameters(
                BoundedRpcType.parameters(
                    FencedRpcType.parameters(
                        new FencedRpcType.Hooks(
                            this::newLogAppender,
                            new Questions(),
                            new Condition(),
                            settings.leaseDrift().isPresent()
                                ? settings.leasePromise()
                                : Duration.ZERO)),
                    this::takesNoEntries))
            .build();
    RatisProperties.setStorage(properties, groups());
  }

  private Path groups() {
    return host.directory().resolve("groups");
  }

  static RatisEngine start(Host host, RatisSettings settings, Capabilities capabilities)
      throws IOException {
    requireFree(host.listen());
    RatisEngine engine = new RatisEngine(host, settings, capabilities);
    try {
      engine.server.start();
    } catch (IOException | RuntimeException e) {
      engine.close();
      throw new IOException("The Raft engine does not start: " + rootMessage(e), e);
    }
    engine.startHousekeeping();
    return engine;
  }

  /** Ratis ends the whole process when it cannot listen, so this is found out before. */
  private static void requireFree(InetSocketAddress listen) throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(listen.getHostString(), listen.getPort()));
    } catch (IOException e) {
      throw new IOException(
          "The Raft engine cannot listen on "
              + listen.getHostString()
              + ":"
              + listen.getPort()
              + ": "
              + rootMessage(e),
          e);
    }
  }

  private void startHousekeeping() {
    every(TICK, threads.timer(), this::tick);
    every(PEER_WATCH_INTERVAL, threads.timer(), this::watchPeers);
    every(settings.purgeInterval(), threads.timer(), () -> forEachMember(RatisMember::cleanUp));
    every(PEER_PROBE_INTERVAL, threads.probes(), () -> peerProbe.look(awaitedPeers()));
  }

  private static void every(Duration interval, ScheduledExecutorService thread, Runnable task) {
    thread.scheduleWithFixedDelay(
        () -> {
          try {
            task.run();
          } catch (RuntimeException e) {
            // The thread would never run it again.
            LOG.warn("A periodic task of the Raft engine failed", e);
          }
        },
        interval.toMillis(),
        interval.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  private void tick() {
    long now = System.nanoTime();
    health.tick(
        now,
        members.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().progress())));
    reportDisk(!health.isLogResponsive());
    forEachMember(member -> member.tick(now));
  }

  private void reportDisk(boolean isStalled) {
    if (isStalled != isDiskReported) {
      isDiskReported = isStalled;
      if (isStalled) {
        LOG.warn(
            "The disk of this node does not respond; its replicas neither lead nor acknowledge"
                + " millis={}",
            settings.diskStallTimeout().toMillis());
      } else {
        LOG.info("The disk of this node responds again");
      }
    }
  }

  /** The other members of groups without a leader, each once. */
  private Collection<Member> awaitedPeers() {
    Map<NodeId, Member> peers = new LinkedHashMap<>();
    forEachMember(
        member -> {
          if (!member.hasLeader()) {
            member.spec().members().forEach(peer -> peers.put(peer.node(), peer));
          }
        });
    peers.remove(host.self());
    return peers.values();
  }

  /** A node responds if it does in any group that this one leads. */
  private void watchPeers() {
    Map<RaftPeerId, Duration> silences = new HashMap<>();
    forEachMember(
        member ->
            member
                .silences()
                .forEach(
                    (peer, silence) ->
                        silences.merge(peer, silence, (a, b) -> a.compareTo(b) <= 0 ? a : b)));
    for (PeerWatch.Change change : peerWatch.observe(silences)) {
      if (change.isLost()) {
        LOG.warn("A follower does not respond peer={}", change.peer());
      } else {
        LOG.info("A follower responds again peer={}", change.peer());
      }
    }
  }

  /** A member that is being closed must not end what is done for all others. */
  private void forEachMember(Consumer<RatisMember> what) {
    for (RatisMember member : members.values()) {
      try {
        what.accept(member);
      } catch (RuntimeException e) {
        LOG.warn("A chore of a group failed region={}", member.spec().group(), e);
      }
    }
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public synchronized ConsensusGroup open(GroupSpec spec, ReplicatedStateMachine machine)
      throws IOException {
    if (closed) {
      throw new IllegalStateException("The engine is closed");
    }
    RaftGroupId id = RatisMember.groupId(spec);
    if (members.containsKey(id)) {
      throw new IllegalStateException("Group " + spec.group() + " is open already");
    }
    new LogInspection(RaftServerConfigKeys.Log.Appender.bufferByteLimit(properties).getSize())
        .inspect(groups().resolve(id.getUuid().toString()).resolve("current"));
    RatisMember member =
        new RatisMember(spec, host, settings, properties, threads, reading, health, machine);
    member.stateMachine().open();
    members.put(id, member);
    TelemetryRegistries.attach(
        memberId(id).toString(), host.telemetry(), Map.of("region", spec.group().toString()));
    try {
      join(
          server.groupManagementAsync(
              GroupManagementRequest.newAdd(
                  self, server.getId(), calls.incrementAndGet(), member.group(), false)));
    } catch (IOException | RuntimeException e) {
      member.startClosing();
      forget(id);
      throw new IOException("Group " + spec.group() + " does not open: " + rootMessage(e), e);
    }
    RaftServer.Division division = server.getDivision(id);
    ConfirmedReads reads = member.attach(division);
    return new RatisGroup(
        division,
        member.proposer(),
        reads,
        member.replicaReads(),
        reading.load(),
        settings.leaseDrift().isPresent(),
        new RatisLeadership(
            server, division, reads, settings.electionTimeoutMin(), threads.files()),
        () -> close(member));
  }

  private boolean takesNoEntries(RaftGroupId group) {
    RatisMember member = members.get(group);
    return member != null && member.stateMachine().unapplied().isFull();
  }

  private LogAppender newLogAppender(
      RaftServer.Division division, LeaderState state, FollowerInfo follower) {
    return members.get(division.getGroup().getGroupId()).newLogAppender(division, state, follower);
  }

  private synchronized void close(RatisMember member) {
    RaftGroupId id = member.group().getGroupId();
    if (!members.containsKey(id)) {
      return;
    }
    member.startClosing();
    CacheEviction.end(memberId(id));
    try {
      join(
          server.groupManagementAsync(
              GroupManagementRequest.newRemove(
                  self, server.getId(), calls.incrementAndGet(), id, false, false)));
    } catch (IOException e) {
      throw new IllegalStateException("Group " + member.spec().group() + " does not close", e);
    } finally {
      forget(id);
    }
  }

  private void forget(RaftGroupId id) {
    members.remove(id);
    TelemetryRegistries.detach(memberId(id).toString());
  }

  /** What this wraps, for tests that have to hold something up inside. */
  RaftServer.Division division(GroupSpec spec) throws IOException {
    return server.getDivision(RatisMember.groupId(spec));
  }

  /** Whether this node could lead every group it has, for tests that wait until it shows. */
  boolean mayLead() {
    return members.keySet().stream().allMatch(health::mayLead);
  }

  private RaftGroupMemberId memberId(RaftGroupId id) {
    return RaftGroupMemberId.valueOf(server.getId(), id);
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    members.values().forEach(RatisMember::startClosing);
    members.keySet().forEach(id -> CacheEviction.end(memberId(id)));
    channel.close();
    try {
      server.close();
    } catch (IOException e) {
      throw new IllegalStateException("The Raft server does not close", e);
    } finally {
      threads.close();
    }
    List.copyOf(members.keySet()).forEach(this::forget);
  }

  /** What other nodes ask about reads. */
  private final class Questions implements PeerRequests {
    @Override
    public boolean concerns(ByteBuffer message) {
      return ReplicaReads.isQuestion(message);
    }

    @Override
    public CompletableFuture<ByteBuffer> answer(RaftGroupId group, ByteBuffer message) {
      RatisMember member = members.get(group);
      return member == null
          ? CompletableFuture.completedFuture(ReplicaReads.absent())
          : member.replicaReads().answer(message);
    }
  }

  /** What members of this node can do. */
  private final class Condition implements ReplicaCondition {
    @Override
    public boolean hasLog(RaftGroupId group) {
      RatisMember member = members.get(group);
      return member != null && member.stateMachine().hasLog();
    }

    @Override
    public boolean mayWrite(RaftGroupId group) {
      return health.isLogResponsive();
    }

    @Override
    public boolean mayLead(RaftGroupId group) {
      RatisMember member = members.get(group);
      return member != null && !member.stateMachine().isInstalling() && health.mayLead(group);
    }
  }

  private static void join(CompletableFuture<RaftClientReply> reply) throws IOException {
    try {
      RaftClientReply answer = reply.join();
      if (!answer.isSuccess()) {
        throw answer.getException();
      }
    } catch (CompletionException e) {
      throw new IOException(rootMessage(e), e);
    }
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.toString() : root.getMessage();
  }
}

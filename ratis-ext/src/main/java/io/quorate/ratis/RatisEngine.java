package io.quorate.ratis;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.ratis.guards.GuardedRpcType;
import io.quorate.ratis.health.DiskHealth;
import io.quorate.ratis.heartbeat.HeartbeatReceiver;
import io.quorate.ratis.heartbeat.HeartbeatSender;
import io.quorate.ratis.hibernation.Hibernator;
import io.quorate.ratis.hibernation.MembersBehind;
import io.quorate.ratis.hibernation.ReplicaHost;
import io.quorate.ratis.log.EntryLog;
import io.quorate.ratis.metrics.TelemetryRegistries;
import io.quorate.ratis.patches.ClassesInPlace;
import io.quorate.ratis.patches.TestedRatis;
import io.quorate.ratis.quorum.FollowerReadService;
import io.quorate.ratis.quorum.RequestsInFlight;
import io.quorate.ratis.read.ConfirmationReceiver;
import io.quorate.ratis.read.ConfirmationSender;
import io.quorate.ratis.read.ReadIndex;
import io.quorate.ratis.rpc.PeerRpc;
import io.quorate.ratis.rpc.RaftMessageHandlers;
import io.quorate.ratis.settings.RatisProperties;
import io.quorate.ratis.settings.RatisSettings;
import io.quorate.replication.coded.BodyNode;
import io.quorate.replication.coded.BodyService;
import io.quorate.replication.log.DamagedGroupException;
import io.quorate.replication.log.EngineLog;
import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.GroupRequests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/** The Raft engine of a node: one Raft server for any number of groups. */
final class RatisEngine implements ConsensusEngine {
  private final EngineContext context;
  private final RatisSettings settings;
  private final Capabilities capabilities;
  private final RaftProperties properties;
  private final RatisThreads threads = new RatisThreads();
  private final EngineLog log;
  private final DiskHealth health;
  private final Map<RaftGroupId, RatisMember> members = new ConcurrentHashMap<>();
  private final RatisHousekeeping housekeeping;
  private final NodeTransport transport;
  private final Hibernator hibernator;
  private final FollowerReadService.Node readNode;
  private final Optional<BodyNode> bodyNode;
  private final ConfirmationSender confirmations;
  private final RaftServer server;
  private final ClientId self = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  /** Serve the requests to this node; filled before the first one is received. */
  private final Map<RequestKind, GroupRequests.Handler> handlers = new EnumMap<>(RequestKind.class);

  private RaftMessageHandlers messages;
  private boolean closed;

  private RatisEngine(
      EngineContext context,
      RatisSettings settings,
      Capabilities capabilities,
      NodeTransport transport,
      EngineLog log)
      throws IOException {
    this.context = context;
    this.settings = settings;
    this.capabilities = capabilities;
    this.transport = transport;
    this.properties = RatisProperties.of(settings);
    this.log = log;
    this.health = new DiskHealth(settings.log().diskStallTimeout(), RatisHousekeeping.TICK);
    HeartbeatSender heartbeats =
        new HeartbeatSender(
            (to, heartbeat) -> transport.send(to, RequestKind.HEARTBEATS, heartbeat),
            System::nanoTime);
    this.confirmations = new ConfirmationSender(transport, threads.timer(), System::nanoTime);
    this.housekeeping =
        new RatisHousekeeping(
            context.self(), settings, threads, members, health, heartbeats, context.bodies());
    this.readNode =
        new FollowerReadService.Node(
            context.self(), new RequestsInFlight(), threads.loops(), threads.files());
    this.bodyNode =
        context
            .bodies()
            .map(
                bodies ->
                    BodyNode.of(
                        context,
                        settings.coded(),
                        bodies,
                        settings.transport().frameBytesMax(),
                        threads.bodies(),
                        threads.housekeeping()));
    this.server = newServer();
    this.hibernator = newHibernator();
    EngineMetrics.register(context.telemetry(), heartbeats, health, hibernator);
    handlers.put(
        RequestKind.HEARTBEATS,
        new HeartbeatReceiver(
                server, this::follows, health::isLogResponsive, threads.housekeeping())
            ::respond);
    handlers.put(RequestKind.HIBERNATE, hibernator::respondToHibernate);
    handlers.put(RequestKind.CONFIRM_LEADERS, new ConfirmationReceiver(this::term)::respond);
    handlers.put(RequestKind.WAKE, (from, request) -> hibernator.respondToWake(request));
    transport.serve(handlers);
  }

  private RaftServer newServer() throws IOException {
    // No such directory exists: Ratis starts the groups that it finds there.
    RatisProperties.setStorage(properties, context.directory().resolve("no-files"));
    return RaftServer.newBuilder()
        .setServerId(RaftIds.peerId(context.self()))
        .setStateMachineRegistry(id -> members.get(id).stateMachine())
        .setProperties(properties)
        .setParameters(
            GuardedRpcType.parameters(
                new GuardedRpcType.Hooks(
                    this::newRpc,
                    this::newLogAppender,
                    new EngineCondition(members, health, this::received),
                    settings.elections().leaseDrift().isPresent()
                        ? settings.leaseGrant()
                        : Duration.ZERO,
                    this::onRemoved)))
        .build();
  }

  private Hibernator newHibernator() throws IOException {
    return new Hibernator(
        context.self(),
        new Hibernator.Settings(
            settings.hibernation().after(),
            settings.hibernation().groupsRunningMin(),
            settings.hibernation().groupsRunningMax(),
            settings.followerTimeout()),
        new Host(),
        transport,
        bodyNode,
        context.directory().resolve("hibernating"),
        threads.hibernation(),
        threads.timer(),
        System::nanoTime);
  }

  /** The transport of Raft's messages, for a server that receives them. */
  private RaftServerRpc newRpc(RaftServer receiver) {
    messages =
        new RaftMessageHandlers(
            receiver,
            this::follows,
            new ReceivedEntries(context.telemetry()),
            threads.loops()::runLater,
            threads.messages());
    handlers.putAll(messages.byKind());
    return new PeerRpc(
        new GuardedRpcType(),
        context.listen(),
        settings.transport()::newHalfRequestBudget,
        transport::sendMessage);
  }

  private void received(RaftGroupId group, boolean isHeartbeat) {
    hibernator.received(group, isHeartbeat);
  }

  private long term(RaftGroupId group) {
    RatisMember member = members.get(group);
    return member == null ? ConfirmationReceiver.NO_REPLICA : member.term();
  }

  private boolean follows(RaftGroupId group, NodeId leader, long term) {
    RatisMember member = members.get(group);
    return member != null && member.follows(leader, term);
  }

  static RatisEngine start(EngineContext context, RatisSettings settings, Capabilities capabilities)
      throws IOException {
    TestedRatis.require();
    ClassesInPlace.require();
    // First, since it tells an empty directory by that of the log.
    NodeTransport transport = NodeTransport.start(context, settings);
    RatisEngine engine;
    try {
      engine = create(context, settings, capabilities, transport);
    } catch (IOException | RuntimeException e) {
      transport.close();
      throw e;
    }
    try {
      engine.server.start();
    } catch (IOException | RuntimeException e) {
      engine.close();
      throw new IOException("The Raft engine does not start: " + rootMessage(e), e);
    }
    engine.housekeeping.start(engine.hibernator);
    return engine;
  }

  private static RatisEngine create(
      EngineContext context,
      RatisSettings settings,
      Capabilities capabilities,
      NodeTransport transport)
      throws IOException {
    EngineLog log = new EngineLog(context, settings.log().shared(), context.fatal());
    try {
      return new RatisEngine(context, settings, capabilities, transport, log);
    } catch (IOException | RuntimeException e) {
      log.close();
      throw e;
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
    log.require(spec.group());
    return hibernator.open(RaftIds.groupId(spec.cluster(), spec.group()), spec, machine);
  }

  private ConsensusGroup start(GroupSpec spec, ReplicatedStateMachine machine) throws IOException {
    EntryLog entries = openEntries(spec);
    try {
      return run(spec, entries, machine);
    } catch (DamagedLogException e) {
      entries.close();
      throw new DamagedReplicaException(e);
    } catch (IOException | RuntimeException e) {
      entries.close();
      throw e;
    }
  }

  private EntryLog openEntries(GroupSpec spec) throws IOException {
    log.require(spec.group());
    try {
      return EntryLog.open(log.node(), spec.group(), spec.inheritedEpoch(), threads.loops());
    } catch (DamagedGroupException | DamagedLogException | DamagedRecordException e) {
      throw new DamagedReplicaException(e);
    }
  }

  private ConsensusGroup run(GroupSpec spec, EntryLog entries, ReplicatedStateMachine machine)
      throws IOException {
    RaftGroupId id = RaftIds.groupId(spec.cluster(), spec.group());
    RatisMember member =
        new RatisMember(
            spec,
            entries,
            context,
            settings,
            transport.peers(),
            threads,
            readNode,
            bodyNode,
            health,
            confirmations,
            machine);
    entries.require(member.stateMachine().open());
    context.begun().add(spec.group());
    members.put(id, member);
    TelemetryRegistries.attach(
        memberId(id).toString(), context.telemetry(), Map.of("region", spec.group().toString()));
    try {
      member.join();
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
    ReadIndex reads = member.attach(division);
    return new RatisGroup(
        division,
        member.proposer(),
        reads,
        readNode.load(),
        settings.elections().leaseDrift().isPresent(),
        member.stateMachine()::delivered,
        member.problem(),
        controls(member, division, reads),
        () -> close(member));
  }

  private List<GroupControl> controls(
      RatisMember member, RaftServer.Division division, ReadIndex reads) {
    List<GroupControl> controls = new ArrayList<>();
    Leadership leadership =
        new RatisLeadership(
            server, division, reads, settings.elections().timeoutMin(), threads.files());
    controls.add(leadership);
    controls.add(
        new RatisMembership(
            server,
            division,
            leadership,
            reads.followers(),
            settings.followerTimeout(),
            member.replicaTransport(),
            member.bodies(),
            threads.files()));
    Optional<BodyReplication> bodies = member.bodies().flatMap(BodyService::replication);
    if (bodies.isPresent()) {
      // Other replicas than the leader hold fragments, which a merged read must not take for
      // values.
      controls.add(bodies.get());
    } else {
      controls.addAll(member.replicaReads().controls());
    }
    return controls;
  }

  private void onRemoved(RaftGroupId group) {
    RatisMember member = members.get(group);
    if (member != null) {
      member.stateMachine().markRemoved();
    }
  }

  private LogAppender newLogAppender(
      RaftServer.Division division, LeaderState state, FollowerInfo follower) {
    return members.get(division.getGroup().getGroupId()).newLogAppender(division, state, follower);
  }

  private void close(RatisMember member) {
    RaftGroupId id = member.group().getGroupId();
    if (!members.containsKey(id)) {
      return;
    }
    member.startClosing();
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

  @Override
  public synchronized void remove(GroupId group) throws IOException {
    RaftGroupId id = RaftIds.groupId(context.cluster(), group);
    hibernator.remove(id, group);
    DurableFiles.deleteTree(MemberSnapshots.directory(context, group));
    log.remove(group);
  }

  /** The division of Ratis, for tests that have to block it. */
  RaftServer.Division division(GroupSpec spec) throws IOException {
    return server.getDivision(RaftIds.groupId(spec.cluster(), spec.group()));
  }

  /** Whether this node could lead every group it has, for tests that wait for that. */
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
    hibernator.close();
    members.values().forEach(RatisMember::startClosing);
    messages.close();
    threads.endMessages();
    try {
      server.close();
    } catch (IOException e) {
      throw new IllegalStateException("The Raft server does not close", e);
    } finally {
      transport.close();
      threads.close();
      log.close();
    }
    List.copyOf(members.keySet()).forEach(this::forget);
  }

  /** Runs the replicas that do not hibernate. */
  private final class Host implements ReplicaHost {
    @Override
    public ConsensusGroup start(GroupSpec spec, ReplicatedStateMachine machine) throws IOException {
      return RatisEngine.this.start(spec, machine);
    }

    @Override
    public boolean hasRecords(GroupId group) {
      return log.exist(group);
    }

    @Override
    public Optional<MembersBehind> behind(RaftGroupId group) {
      return Optional.ofNullable(members.get(group)).flatMap(RatisMember::behind);
    }
  }

  private static void join(CompletableFuture<RaftClientReply> reply) throws IOException {
    try {
      RaftClientReply response = reply.join();
      if (!response.isSuccess()) {
        throw response.getException();
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

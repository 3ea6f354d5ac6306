package io.quorate.server.node;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeAddress;
import io.quorate.client.NodeToNode;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.SettingException;
import io.quorate.server.admin.AdminContext;
import io.quorate.server.admin.AdminServer;
import io.quorate.server.admin.Health;
import io.quorate.server.admin.NodeMetrics;
import io.quorate.server.config.ClusterConfig;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.config.ConfigException;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.digest.DigestSchedule;
import io.quorate.server.digest.ReplicaComparison;
import io.quorate.server.placement.DecisionLog;
import io.quorate.server.placement.MoveRequests;
import io.quorate.server.placement.NodeRequests;
import io.quorate.server.placement.PlacementService;
import io.quorate.server.placement.RegionRequests;
import io.quorate.server.placement.SplitLimits;
import io.quorate.server.rpc.ReadStrategy;
import io.quorate.server.rpc.RpcContext;
import io.quorate.server.rpc.RpcServer;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.rpc.TrafficCounters;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PeerTopologySource;
import io.quorate.server.topology.RangeSupport;
import io.quorate.storage.DamagedDatabase;
import io.quorate.storage.Storage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of the database, from its data directory to the ports it listens on.
 *
 * <p>{@link #start} starts everything that does not depend on other nodes; the node then joins its
 * cluster in the background and serves clients once {@link #serving} completes. Several nodes may
 * run in one process.
 */
public final class QuorateNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QuorateNode.class);

  private final ServerConfig config;
  private final ConsensusEngineProvider provider;
  private final Capabilities capabilities;
  private final Consumer<ConsensusException.Fatal> onFatal;
  final ClusterTopology topology;
  private final ServingState servingState = new ServingState();
  private final BodyCensus bodyCensus = new BodyCensus();
  private final DecisionLog decisions;
  private final Resources resources = new Resources();
  private final AtomicBoolean closing = new AtomicBoolean();

  /** Wakes the follower of the topology. */
  private final Wake wake = new Wake();

  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private RpcServer rpcServer;
  private AdminServer admin;
  private NodeHealth health;
  DataDirectory data;
  private AsyncQuorateClient client;
  private WritableNodes writableNodes;
  private NodeStartup startup;
  private CompletableFuture<Void> serving;

  private QuorateNode(
      ServerConfig config,
      ConsensusEngineProvider provider,
      Capabilities capabilities,
      Consumer<ConsensusException.Fatal> onFatal) {
    this.config = config;
    this.provider = provider;
    this.capabilities = capabilities;
    this.onFatal = onFatal;
    this.decisions = new DecisionLog(config.placement().policy());
    ClusterConfig cluster = config.cluster();
    this.topology =
        new ClusterTopology(
            cluster.id(),
            config.node().id(),
            cluster.nodes(),
            ClusterTopology.Service.of(config, capabilities));
  }

  /**
   * Starts a node. Blocks while files are opened; does not wait for other nodes.
   *
   * @param provider the engine that the configuration names
   * @param onFatal called, on any thread, when the node cannot continue; the process should end.
   *     Must not block.
   * @throws StartupException if the node cannot start with its configuration; nothing is left
   *     running
   */
  public static QuorateNode start(
      ServerConfig config,
      ConsensusEngineProvider provider,
      Consumer<ConsensusException.Fatal> onFatal) {
    Capabilities capabilities = Engines.capabilities(provider, config);
    QuorateNode node = new QuorateNode(config, provider, capabilities, onFatal);
    try {
      node.open();
      return node;
    } catch (IOException e) {
      node.resources.close();
      throw StartFailure.of(e);
    } catch (SettingException e) {
      node.resources.close();
      throw new ConfigException(e.getMessage(), e);
    } catch (RuntimeException e) {
      node.resources.close();
      throw e;
    }
  }

  /** Completes when the node serves clients; is cancelled if the node is closed first. */
  public CompletionStage<Void> serving() {
    return serving.minimalCompletionStage();
  }

  /** The port for clients. */
  public int clientPort() {
    return rpcServer.port();
  }

  /** The port for health, metrics and the console. */
  public int adminPort() {
    return admin.port();
  }

  /** The health of the node, as {@code /health} reports it. */
  public Health health() {
    return health.get();
  }

  /** Blocks until the node has been closed. */
  public void awaitClosed() throws InterruptedException {
    try {
      closed.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * Stops the node without losing acknowledged writes: stops accepting requests, transfers its
   * leaderships, waits until the requests in flight have responses, then closes all resources.
   * Blocks for at most the times in section {@code shutdown} of the configuration and a few
   * seconds. A second call waits for the first.
   */
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      closed.join();
      return;
    }
    LOG.atInfo().addKeyValue("node", topology.self()).log("Stopping");
    try {
      servingState.stop();
      rpcServer.stopAccepting();
      startup.close();
      Duration transfer = config.shutdown().transferTimeout();
      await("leadership", new LeadershipDrain(topology, writableNodes, transfer).start(), transfer);
      await("requests", rpcServer.whenIdle(), config.shutdown().drainTimeout());
    } finally {
      resources.close();
      LOG.atInfo().addKeyValue("node", topology.self()).log("Stopped");
      closed.complete(null);
    }
  }

  private void open() throws IOException {
    ClusterNode self = config.self();
    StartLog.log(config, Version.current());
    data =
        keep(
            DataDirectory.open(
                config.node().data(), config.node().log(), DataIdentity.of(config, capabilities)));
    NodeMetrics metrics =
        keep(
            new NodeMetrics(
                config.cluster().id().toString(), self.id().value(), Version.current()));
    ReplicaRecords records = ReplicaRecords.open(data.replicas());
    DamagedDatabase damaged = DatabaseRebuild.prepare(new DamagedDatabase(data.storage()), records);
    Storage storage =
        keep(
            Storage.open(
                data.storage(),
                StorageSetup.options(config),
                metrics.telemetry(),
                StorageSetup.listener(wake::raise, servingState::damaged, onFatal)));
    client = keep(PeerTopologySource.newClient(config.cluster(), topology.self()));
    DatabaseRebuild rebuild =
        new DatabaseRebuild(
            damaged, records, topology, servingState, client::status, data::freeBytes, onFatal);
    Supplier<List<String>> storageFailures = () -> rebuild.with(storage.failures());
    LostReplicas lost = new LostReplicas(System::nanoTime);
    ReplicaLag lag = ReplicaLag.of(topology, client);
    health = new NodeHealth(topology, servingState, storageFailures, lost::problems, lag);
    writableNodes = new WritableNodes(() -> NodeToNode.summary(client), System::nanoTime);
    admin = keep(openAdminServer(metrics));
    data.requireLogs(records.hasBegunAny());
    records.founding().ifPresent(this::belongTo);
    ConsensusEngine engine = keep(startEngine(self, data, storage.bodies(), metrics, records));
    RegionPlans plans =
        new RegionPlans(
            topology,
            storage
                .bodies()
                .map(bodies -> keep(new BodyCopier(config.storage().bodyRepairBytesPerSecond()))),
            (node, region) ->
                NodeToNode.replicaEpoch(
                    client, node.id(), new NodeAddress(node.host(), node.clientPort()), region),
            (region, epoch) -> NodeToNode.confirmPlan(client, region, epoch));
    RegionSizes sizes = new RegionSizes(topology);
    DiskWatch disk =
        new DiskWatch(
            data::freeBytes,
            data::freeLogBytes,
            config.storage().freeSpaceMinBytes(),
            servingState,
            System::nanoTime);
    DeviceMonitor device =
        keep(
            DeviceMonitor.start(
                config.placement(),
                data.root(),
                data.logRoot(),
                () -> disk.freeBytes() + sizes.bytes() + rebuild.setAsideBytes(),
                metrics.telemetry()));
    SplitProposals splits =
        new SplitProposals(topology, sizes, config.placement().splits(), System::nanoTime);
    TrafficCounters counters = new TrafficCounters();
    TrafficRing traffic = new TrafficRing(counters, System::nanoTime);
    NodeEntry entry =
        new NodeEntry(self, Optional.of(data.disk()), false, RangeSupport.of(capabilities));
    ReplicaGauges gauges = new ReplicaGauges(topology, servingState, lag, metrics.telemetry());
    ReplicaManager replicas =
        new ReplicaManager(storage, engine, topology, records, lost, gauges, metrics.telemetry());
    ReplicaComparison comparison =
        new ReplicaComparison(
            topology, client, replicas::differs, System::nanoTime, metrics.telemetry());
    Joining joining = Joining.of(config, topology, client, entry, device::speed);
    // Before the node accepts requests, because its status has the state of the start.
    startup =
        new NodeStartup(
            config.cluster(),
            data.disk(),
            topology,
            replicas,
            servingState,
            joining.source(),
            joining.peers(),
            joining.registration(),
            this::belongTo);
    rpcServer =
        keep(
            openRpcServer(
                new NodeStatusReport(
                    entry,
                    topology,
                    servingState,
                    config,
                    Version.current(),
                    new NodeStatusReport.Parts(
                        bodyCensus,
                        plans::confirmed,
                        plans::problem,
                        comparison::difference,
                        sizes,
                        splits,
                        lost,
                        startup::state,
                        device,
                        decisions,
                        traffic::samples,
                        storageFailures,
                        lag)),
                counters,
                metrics));
    keep(new Housekeeping("quorate-starts")).everyMinute(data::renewStart);
    // A thread of its own: with a disk that does not respond, free space is not known.
    keep(new Housekeeping("quorate-free-space")).everySecond(disk);
    Housekeeping housekeeping = keep(new Housekeeping("quorate-housekeeping"));
    disk.register(metrics.telemetry());
    NodeGauges.register(metrics.telemetry(), topology, servingState, health, lost);
    rebuild.register(metrics.telemetry());
    keep(new Housekeeping("quorate-rebuild")).every(DatabaseRebuild.INTERVAL, rebuild);
    housekeeping.everySecond(new ApplyWatch(topology, System::nanoTime));
    housekeeping.every(ReplicaLag.INTERVAL, lag);
    housekeeping.everySecond(traffic);
    housekeeping.everySecond(new StorageWatch(storage::failures, onFatal, System::nanoTime));
    housekeeping.everySecond(
        new InitialLeaderBalancer(
            topology,
            servingState,
            node -> writableNodes.known().contains(node),
            System::nanoTime));
    keep(new Housekeeping("quorate-session-expiry"))
        .everyMinute(
            new SessionExpiry(
                topology, config.storage().sessionExpiry(), data.root(), System::nanoTime));
    keep(new Housekeeping("quorate-hand-over"))
        .every(
            LeadershipHandover.INTERVAL,
            new LeadershipHandover(
                topology,
                servingState,
                startup::isFounding,
                writableNodes::known,
                System::nanoTime));
    Housekeeping digests = keep(new Housekeeping("quorate-digests"));
    digests.everySecond(
        new DigestSchedule(topology, config.storage().digestInterval(), System::nanoTime));
    digests.everySecond(comparison);
    Housekeeping estimates = keep(new Housekeeping("quorate-estimates"));
    estimates.everySecond(sizes);
    estimates.everySecond(splits);
    Optional<BodyRepair> repair =
        storage
            .bodies()
            .map(
                bodies ->
                    keep(
                        new BodyRepair(
                            topology, bodies, bodyCensus, config.storage(), metrics.telemetry())));
    join(joining, replicas, plans);
    repair.ifPresent(started -> serving.thenRun(started::start));
  }

  /** This node uses what other nodes of this founding of the cluster say, and no others. */
  private void belongTo(UUID founding) {
    topology.belongTo(founding);
    NodeToNode.pin(client, founding);
  }

  private AdminServer openAdminServer(NodeMetrics metrics) throws IOException {
    ClusterNode self = config.self();
    AdminContext context =
        new AdminContext(
            self.id(),
            health,
            () -> servingState.phase() == ServingState.Phase.SERVING,
            metrics.registry(),
            () -> NodeToNode.statusWithTraffic(client),
            client.withDeadline(AdminServer.CHANGE_TIMEOUT).nodes());
    return PortBinder.open(
        config.admin().bind(),
        self.adminPort(),
        self,
        "admin-port",
        address -> AdminServer.open(address, context));
  }

  private ConsensusEngine startEngine(
      ClusterNode self,
      DataDirectory data,
      Optional<BodyStorage> bodies,
      NodeMetrics metrics,
      ReplicaRecords records)
      throws IOException {
    return PortBinder.open(
        config.node().bind(),
        self.consensusPort(),
        self,
        "consensus-port",
        address ->
            provider.start(
                new EngineContext(
                    config.cluster().id().uuid(),
                    self.id(),
                    address,
                    new KnownNodes(
                        this::consensusAddresses,
                        data.disks(topology::diskOf, topology::founding, onFatal)),
                    data.consensus(),
                    config.engine(),
                    metrics.telemetry(),
                    bodies,
                    records,
                    onFatal)));
  }

  private List<InetSocketAddress> consensusAddresses(NodeId node) {
    return topology.addresses(node).stream().map(found -> found.member().address()).toList();
  }

  private RpcServer openRpcServer(
      NodeStatusReport status, TrafficCounters traffic, NodeMetrics metrics) throws IOException {
    ClusterNode self = config.self();
    RpcContext context =
        new RpcContext(
            topology,
            servingState,
            ReadStrategy.by(config.mode().reads(), topology.service().mix()),
            capabilities.largestCommandBytes(),
            status,
            Version.current(),
            config.shutdown().transferTimeout(),
            new NodeRequests(topology, client, config.placement()),
            new MoveRequests(topology, client),
            new RegionRequests(topology, client, SplitLimits.of(config)),
            config.placement().countsRequests(),
            traffic);
    return PortBinder.open(
        config.node().bind(),
        self.clientPort(),
        self,
        "client-port",
        address ->
            RpcServer.open(address, config.rpc(), config.limits(), context, metrics.telemetry()));
  }

  private void join(Joining joining, ReplicaManager replicas, RegionPlans plans)
      throws IOException {
    keep(startup);
    serving = startup.start();
    TopologyFollower follower =
        keep(
            new TopologyFollower(
                joining.source(),
                topology,
                replicas,
                plans,
                new PlacementService(
                    topology,
                    client,
                    config.placement(),
                    SplitLimits.of(config),
                    decisions,
                    wake::raise),
                joining.registration(),
                wake));
    serving.thenRun(follower::start);
    serving.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            LOG.atInfo()
                .addKeyValue("node", topology.self())
                .addKeyValue("cluster", config.cluster().id())
                .addKeyValue("clientPort", rpcServer.port())
                .log("Serving");
          } else if (!closing.get()) {
            onFatal.accept(
                new ConsensusException.Fatal("The node could not join its cluster", failure));
          }
        });
  }

  private <T extends AutoCloseable> T keep(T resource) {
    return resources.keep(resource);
  }

  private static void await(String what, CompletionStage<Void> done, Duration timeout) {
    try {
      done.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.atWarn()
          .addKeyValue("waitedFor", what)
          .addKeyValue("error", e)
          .log("A wait failed; stopping without it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.quorate.server.node;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.protocol.tls.Tls;
import io.quorate.server.access.AccessFollower;
import io.quorate.server.access.AccessState;
import io.quorate.server.access.FailedLogins;
import io.quorate.server.access.NodeSecurity;
import io.quorate.server.admin.AdminServer;
import io.quorate.server.admin.Health;
import io.quorate.server.admin.NodeMetrics;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.node.directory.DataDirectory;
import io.quorate.server.node.directory.DataIdentity;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.node.join.Joining;
import io.quorate.server.node.monitor.Housekeeping;
import io.quorate.server.placement.DecisionLog;
import io.quorate.server.placement.PlacementService;
import io.quorate.server.rpc.RpcServer;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PeerTopologySource;
import io.quorate.server.topology.RangeSupport;
import io.quorate.storage.DamagedDatabase;
import io.quorate.storage.Storage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Puts a node together: opens its files, its engine and its ports in the order in which they need
 * each other. Used once, by one thread, which blocks on files; waits for no other node.
 */
final class NodeAssembly {
  private final ServerConfig config;
  private final ConsensusEngineProvider provider;
  private final Capabilities capabilities;
  private final Consumer<ConsensusException.Fatal> onFatal;
  private final NodeContext node;
  private final ClusterTopology topology;

  /** Wakes the follower of the topology. */
  private final Wake wake = new Wake();

  private final DataDirectory data;
  private final ReplicaRecords records;
  private final Storage storage;
  private final NodeMonitor monitor;

  /**
   * A node that is put together and has not joined its cluster.
   *
   * @param data its data directory
   * @param drain transfers its leaderships when it stops
   * @param health as {@code /health} reports it
   * @param startup joins the cluster, when it is started
   */
  record Parts(
      ClusterTopology topology,
      ServingState servingState,
      DataDirectory data,
      LeadershipDrain drain,
      Supplier<Health> health,
      AdminServer admin,
      RpcServer rpcServer,
      NodeStartup startup) {}

  /**
   * Opens the files of a node.
   *
   * @param resources receives what is opened, to be closed also if this fails
   */
  private NodeAssembly(
      ServerConfig config,
      ConsensusEngineProvider provider,
      Capabilities capabilities,
      Consumer<ConsensusException.Fatal> onFatal,
      Resources resources)
      throws IOException {
    this.config = config;
    this.provider = provider;
    this.capabilities = capabilities;
    this.onFatal = onFatal;
    this.topology =
        new ClusterTopology(
            config.cluster().id(),
            config.node().id(),
            config.cluster().nodes(),
            ClusterTopology.Service.of(config, capabilities));
    StartLog.log(config, Version.current());
    Optional<NodeSecurity> security =
        NodeCertificates.load(config)
            .map(
                tls ->
                    new NodeSecurity(tls, new AccessState(), new FailedLogins(System::nanoTime)));
    data =
        resources.keep(
            DataDirectory.open(
                config.node().data(), config.node().log(), DataIdentity.of(config, capabilities)));
    NodeMetrics metrics =
        resources.keep(
            new NodeMetrics(
                config.cluster().id().toString(), topology.self().value(), Version.current()));
    records = ReplicaRecords.open(data.replicas());
    ServingState servingState = new ServingState();
    DamagedDatabase damaged = DatabaseRebuild.prepare(new DamagedDatabase(data.storage()), records);
    storage =
        resources.keep(
            Storage.open(
                data.storage(),
                StorageSetup.options(config),
                metrics.telemetry(),
                StorageSetup.listener(wake::raise, servingState::damaged, onFatal)));
    AsyncQuorateClient client =
        resources.keep(
            PeerTopologySource.newClient(
                config.cluster(), topology.self(), config.security().certificates()));
    node = new NodeContext(config, topology, servingState, client, metrics, security, resources);
    renew(security.map(NodeSecurity::tls));
    DatabaseRebuild rebuild =
        new DatabaseRebuild(
            damaged, records, topology, servingState, client::status, data::freeBytes, onFatal);
    monitor = new NodeMonitor(node, data, storage, rebuild);
  }

  private void renew(Optional<Tls> tls) {
    node.telemetry()
        .gauge(
            "certificate.left",
            "Until the certificate of this node expires, in seconds; NaN if it has none",
            Map.of(),
            () -> tls.map(NodeCertificates::secondsLeft).orElse(Double.NaN));
    tls.ifPresent(
        files ->
            node.keep(new Housekeeping("quorate-certificates"))
                .every(NodeCertificates.INTERVAL, () -> NodeCertificates.renew(files)));
  }

  /**
   * Puts a node together.
   *
   * @param onFatal ends the node; called on any thread, also before this returns
   * @param resources receives what is opened, to be closed also if this fails
   * @throws IOException if the files or the ports cannot be opened
   */
  static Parts assemble(
      ServerConfig config,
      ConsensusEngineProvider provider,
      Capabilities capabilities,
      Consumer<ConsensusException.Fatal> onFatal,
      Resources resources)
      throws IOException {
    return new NodeAssembly(config, provider, capabilities, onFatal, resources).open();
  }

  private Parts open() throws IOException {
    NodePorts ports = new NodePorts(node);
    AdminServer admin = node.keep(ports.openAdmin(monitor.health()));
    data.requireLogs(records.hasBegunAny());
    records.founding().ifPresent(this::belongTo);
    ConsensusEngine engine =
        node.keep(ports.startEngine(provider, data, storage.bodies(), records, onFatal));
    NodeReplicas replicas = new NodeReplicas(node, storage, engine, records, monitor, wake);
    monitor.measureDevice();
    NodeEntry entry =
        new NodeEntry(
            config.self(), Optional.of(data.disk()), false, RangeSupport.of(capabilities));
    Joining joining = Joining.of(config, topology, node.client(), entry, monitor::deviceSpeed);
    // Before the node accepts requests, because its status has the state of the start.
    NodeStartup startup = node.keep(startup(joining, replicas));
    DecisionLog decisions = new DecisionLog(config.placement().policy());
    RpcServer rpcServer =
        node.keep(
            ports.openRpc(
                capabilities,
                new NodeStatusReport(
                    entry,
                    node,
                    Version.current(),
                    new NodeStatusReport.Parts(
                        monitor, replicas.reports(), startup::state, decisions)),
                monitor.counters()));
    node.keep(new Housekeeping("quorate-starts")).everyMinute(data::renewStart);
    monitor.start(onFatal);
    WritableNodes writable =
        new WritableNodes(() -> NodeToNode.summary(node.client()), System::nanoTime);
    replicas.start(data.root(), startup::isFounding, writable);
    node.security().map(NodeSecurity::access).ifPresent(access -> follow(access, joining.others()));
    TopologyFollower follower = follower(joining, replicas, decisions);
    startup.joined().thenRun(follower::start);
    startup.joined().thenRun(replicas::startRepair);
    return new Parts(
        topology,
        node.servingState(),
        data,
        new LeadershipDrain(topology, writable, config.shutdown().transferTimeout()),
        monitor.health(),
        admin,
        rpcServer,
        startup);
  }

  private void follow(AccessState access, List<NodeAddress> others) {
    node.keep(new Housekeeping("quorate-access"))
        .every(
            AccessFollower.INTERVAL, new AccessFollower(access, topology, others, node.client()));
  }

  private NodeStartup startup(Joining joining, NodeReplicas replicas) throws IOException {
    return new NodeStartup(
        config.cluster(),
        data.disk(),
        topology,
        replicas.manager(),
        node.servingState(),
        joining.source(),
        joining.peers(),
        joining.registration(),
        node.security().isPresent(),
        this::belongTo);
  }

  private TopologyFollower follower(Joining joining, NodeReplicas replicas, DecisionLog decisions) {
    return node.keep(
        new TopologyFollower(
            joining.source(),
            topology,
            replicas.manager(),
            replicas.plans(),
            new PlacementService(
                topology,
                node.client(),
                config.placement(),
                RangeSupport.neededToSplit(config.mode().replication()),
                decisions,
                wake::raise),
            joining.registration(),
            wake));
  }

  /** This node uses what other nodes of this founding of the cluster say, and no others. */
  private void belongTo(UUID founding) {
    topology.belongTo(founding);
    NodeToNode.pin(node.client(), founding);
  }
}

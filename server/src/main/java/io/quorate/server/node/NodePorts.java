package io.quorate.server.node;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.KnownNodes;
import io.quorate.model.NodeId;
import io.quorate.server.access.AccessRequests;
import io.quorate.server.access.NodeSecurity;
import io.quorate.server.admin.AdminContext;
import io.quorate.server.admin.AdminServer;
import io.quorate.server.admin.Health;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.node.directory.DataDirectory;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.placement.MoveRequests;
import io.quorate.server.placement.NodeRequests;
import io.quorate.server.placement.RegionRequests;
import io.quorate.server.rpc.ReadStrategy;
import io.quorate.server.rpc.RpcContext;
import io.quorate.server.rpc.RpcServer;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.rpc.cluster.ClusterRequests;
import io.quorate.server.rpc.request.TrafficCounters;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.RangeSupport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Opens the three ports of a node: for operators, for the consensus engine, and for clients. Each
 * method blocks until its server accepts connections, and throws {@link
 * io.quorate.server.config.StartupException} if the port cannot be bound.
 */
final class NodePorts {
  private final NodeContext node;
  private final ServerConfig config;
  private final ClusterNode self;
  private final ClusterTopology topology;
  private final AsyncQuorateClient client;

  NodePorts(NodeContext node) {
    this.node = node;
    this.config = node.config();
    this.self = config.self();
    this.topology = node.topology();
    this.client = node.client();
  }

  /** Opens the port for health, metrics and the console. */
  AdminServer openAdmin(Supplier<Health> health) throws IOException {
    AdminContext context =
        new AdminContext(
            self.id(),
            health,
            () -> node.servingState().phase() == ServingState.Phase.SERVING,
            node.metrics().registry(),
            () -> NodeToNode.statusWithTraffic(client),
            topology::isHost,
            client.withDeadline(AdminServer.CHANGE_TIMEOUT).nodes());
    return PortBinder.open(
        config.admin().bind(),
        self.adminPort(),
        self,
        "admin-port",
        address -> AdminServer.open(address, context, node.security()));
  }

  /** Starts the engine, with its port for the other nodes. */
  ConsensusEngine startEngine(
      ConsensusEngineProvider provider,
      DataDirectory data,
      Optional<BodyStorage> bodies,
      ReplicaRecords records,
      Consumer<ConsensusException.Fatal> onFatal)
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
                        data.disks(
                            topology::diskOf, topology::presence, topology::founding, onFatal),
                        node.security().map(NodeSecurity::tls)),
                    data.consensus(),
                    config.engine(),
                    node.telemetry(),
                    bodies,
                    records,
                    onFatal)));
  }

  private List<InetSocketAddress> consensusAddresses(NodeId node) {
    return topology.addresses(node).stream().map(found -> found.member().address()).toList();
  }

  /** Opens the port for clients, which receive what {@link ServingState} allows. */
  RpcServer openRpc(Capabilities capabilities, NodeStatusReport status, TrafficCounters traffic)
      throws IOException {
    RpcContext context =
        new RpcContext(
            topology,
            node.servingState(),
            ReadStrategy.by(config.mode().reads(), topology.service().mix()),
            capabilities.largestCommandBytes(),
            status,
            Version.current(),
            new ClusterRequests(
                new NodeRequests(topology, client, config.placement()),
                new MoveRequests(topology, client),
                new RegionRequests(
                    topology, client, RangeSupport.neededToSplit(config.mode().replication())),
                node.security().map(each -> new AccessRequests(each.access(), topology, client)),
                config.shutdown().transferTimeout()),
            config.placement().countsRequests(),
            traffic);
    return PortBinder.open(
        config.node().bind(),
        self.clientPort(),
        self,
        "client-port",
        address ->
            RpcServer.open(
                address,
                config.rpc(),
                config.limits(),
                context,
                node.security(),
                node.telemetry()));
  }
}

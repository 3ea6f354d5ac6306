package io.quorate.server.node;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Host;
import io.quorate.consensus.SettingException;
import io.quorate.consensus.quorum.ReadMix;
import io.quorate.server.admin.AdminServer;
import io.quorate.server.admin.NodeMetrics;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.MapSource;
import io.quorate.server.cluster.MetadataRegion;
import io.quorate.server.cluster.OtherNodes;
import io.quorate.server.cluster.TopologyMessages;
import io.quorate.server.config.ClusterConfig;
import io.quorate.server.config.ConfigException;
import io.quorate.server.config.Knobs;
import io.quorate.server.config.NodeAddress;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartRefusal;
import io.quorate.server.door.DoorServices;
import io.quorate.server.door.FrontDoor;
import io.quorate.server.door.LinearizableReads;
import io.quorate.server.door.ServiceGate;
import io.quorate.server.region.Bootstrap;
import io.quorate.server.region.RegionDescriptor;
import io.quorate.server.region.RegionTable;
import io.quorate.storage.Storage;
import io.quorate.storage.StorageFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of the database, from its data directory up to the ports it listens on.
 *
 * <p>{@link #start} brings up everything that does not need other nodes; the node then joins its
 * cluster by itself and serves clients once {@link #serving} completes. Several nodes may live in
 * one process.
 */
public final class QuorateNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QuorateNode.class);

  private final ServerConfig config;
  private final ConsensusEngineProvider provider;
  private final Capabilities offered;
  private final Consumer<ConsensusException.Fatal> onFatal;
  private final ClusterMap map;
  private final ServiceGate gate = new ServiceGate();
  private final Deque<AutoCloseable> resources = new ArrayDeque<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private FrontDoor door;
  private AdminServer admin;
  private Joining joining;
  private CompletableFuture<Void> serving;

  private QuorateNode(
      ServerConfig config,
      ConsensusEngineProvider provider,
      Capabilities offered,
      Consumer<ConsensusException.Fatal> onFatal) {
    this.config = config;
    this.provider = provider;
    this.offered = offered;
    this.onFatal = onFatal;
    ClusterConfig cluster = config.cluster();
    this.map =
        new ClusterMap(cluster.id(), config.node().id(), cluster.nodes(), service(config, offered));
  }

  private static ClusterMap.Service service(ServerConfig config, Capabilities offered) {
    Knobs.Reads reads = config.knobs().reads();
    return new ClusterMap.Service(
        offered.hasLeader(),
        !offered.hasLeader() || !reads.isByLeaderAlone(),
        reads.isLinearizable(),
        reads.quorumRule(),
        reads.isMixed()
            ? Optional.of(new ReadMix.Policy(reads == Knobs.Reads.ADAPTIVE, config.leaderReads()))
            : Optional.empty());
  }

  /**
   * Starts a node. Blocks while files are opened; does not wait for other nodes.
   *
   * @param provider the engine that the configuration names
   * @param onFatal told, on any thread, when the node cannot go on; the process should end. Must
   *     not block.
   * @throws StartRefusal if the node cannot start as it is configured; nothing is left running
   */
  public static QuorateNode start(
      ServerConfig config,
      ConsensusEngineProvider provider,
      Consumer<ConsensusException.Fatal> onFatal) {
    Capabilities offered = Engines.capabilities(provider, config);
    QuorateNode node = new QuorateNode(config, provider, offered, onFatal);
    try {
      node.open();
      return node;
    } catch (IOException e) {
      node.release();
      throw new StartRefusal("The node cannot start: " + e.getMessage() + ".", e);
    } catch (SettingException e) {
      node.release();
      throw new ConfigException(e.getMessage(), e);
    } catch (RuntimeException e) {
      node.release();
      throw e;
    }
  }

  /** Completes when the node serves clients; is cancelled if it is closed before. */
  public CompletionStage<Void> serving() {
    return serving.minimalCompletionStage();
  }

  /** The port on which clients are served. */
  public int clientPort() {
    return door.port();
  }

  /** The port on which health and metrics are served. */
  public int adminPort() {
    return admin.port();
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
   * Ends the node without losing what it acknowledged: takes no more requests, hands leadership
   * over, waits for answers to what is in flight, then frees everything. Blocks for no longer than
   * the configuration's {@code shutdown} section allows, and a few seconds. A second call waits for
   * the first.
   */
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      closed.join();
      return;
    }
    LOG.atInfo().addKeyValue("node", map.self()).log("Stopping");
    gate.stop();
    door.stopAccepting();
    joining.close();
    Duration transfer = config.shutdown().transferTimeout();
    await("leadership", new Handover(map, transfer).start(), transfer);
    await("requests", door.whenIdle(), config.shutdown().drainTimeout());
    release();
    LOG.atInfo().addKeyValue("node", map.self()).log("Stopped");
    closed.complete(null);
  }

  private void open() throws IOException {
    NodeAddress self = config.self();
    StartLog.log(config, Version.current());
    warnOfEvenReplicas(config.cluster().replicas());
    DataDirectory data =
        keep(DataDirectory.open(config.node().data(), DataIdentity.of(config, offered)));
    NodeMetrics metrics =
        keep(
            new NodeMetrics(
                config.cluster().id().toString(), self.id().value(), Version.current()));
    Storage storage =
        keep(Storage.open(data.storage(), StorageSetup.options(config), metrics.telemetry()));
    NodeHealth health =
        new NodeHealth(
            map, gate, () -> storage.failures().stream().map(StorageFailure::message).toList());
    admin =
        keep(
            Listening.on(
                config.admin().bind(),
                self.adminPort(),
                self,
                "admin-port",
                address ->
                    AdminServer.open(
                        address,
                        health,
                        () -> gate.phase() == ServiceGate.Phase.SERVING,
                        metrics.registry())));
    ConsensusEngine engine = keep(startEngine(self, data, metrics));
    door = keep(openDoor(self, metrics));
    Housekeeping housekeeping = keep(new Housekeeping());
    DiskWatch disk = new DiskWatch(data::freeBytes, config.storage().freeSpaceMinBytes(), gate);
    housekeeping.everySecond(disk);
    metrics
        .telemetry()
        .gauge(
            "storage.free.bytes",
            "Free space where the data is, as of a second ago",
            Map.of(),
            disk::freeBytes);
    housekeeping.everySecond(new ApplyWatch(map, System::nanoTime));
    housekeeping.everySecond(new LeaderSpread(map, gate, System::nanoTime));
    housekeeping.everyMinute(
        new SessionExpiry(map, config.storage().sessionExpiry(), System::nanoTime));
    RegionHosting hosting = new RegionHosting(storage, engine, map, metrics.telemetry());
    join(hosting);
  }

  private ConsensusEngine startEngine(NodeAddress self, DataDirectory data, NodeMetrics metrics)
      throws IOException {
    return Listening.on(
        config.node().bind(),
        self.consensusPort(),
        self,
        "consensus-port",
        address -> {
          Listening.requireFree(address);
          return provider.start(
              new Host(
                  config.cluster().id().uuid(),
                  self.id(),
                  address,
                  data.consensus(),
                  config.engine(),
                  metrics.telemetry(),
                  onFatal));
        });
  }

  private FrontDoor openDoor(NodeAddress self, NodeMetrics metrics) throws IOException {
    String version = Version.current();
    DoorServices services =
        new DoorServices(
            map,
            gate,
            LinearizableReads.by(config.knobs().reads(), map.service().mix()),
            offered.largestCommandBytes(),
            new StatusReport(map, gate, config, version),
            version,
            config.shutdown().transferTimeout());
    return Listening.on(
        config.node().bind(),
        self.clientPort(),
        self,
        "client-port",
        address ->
            FrontDoor.open(address, config.door(), config.limits(), services, metrics.telemetry()));
  }

  private void join(RegionHosting hosting) throws IOException {
    ClusterConfig cluster = config.cluster();
    RegionTable expected = Bootstrap.regions(cluster);
    joining = new Joining(map, hosting, gate, expected);
    resources.push(joining);
    serving = joining.start(mapSource(hosting, expected));
    serving.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            LOG.atInfo()
                .addKeyValue("node", map.self())
                .addKeyValue("cluster", cluster.id())
                .addKeyValue("clientPort", door.port())
                .log("Serving");
          } else if (!closing.get()) {
            onFatal.accept(
                new ConsensusException.Fatal("The node could not join its cluster", failure));
          }
        });
  }

  private MapSource mapSource(RegionHosting hosting, RegionTable expected) throws IOException {
    RegionDescriptor metadata = Bootstrap.metadata(config.cluster());
    if (metadata.isOn(map.self())) {
      return new MetadataRegion(
          hosting.open(metadata), TopologyMessages.of(config.cluster(), expected));
    }
    return keep(new OtherNodes(config.cluster(), map.self()));
  }

  private static void warnOfEvenReplicas(int replicas) {
    if (replicas % 2 == 0) {
      LOG.atWarn()
          .addKeyValue("cluster.replicas", replicas)
          .log("An even number of replicas survives no more failures than the odd one below it");
    }
  }

  private <T extends AutoCloseable> T keep(T resource) {
    resources.push(resource);
    return resource;
  }

  /** Frees everything, the last first; what fails does not keep the rest from being freed. */
  private void release() {
    while (!resources.isEmpty()) {
      AutoCloseable resource = resources.pop();
      long started = System.nanoTime();
      try {
        resource.close();
        LOG.atDebug()
            .addKeyValue("resource", resource.getClass().getSimpleName())
            .addKeyValue("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started))
            .log("Closed");
      } catch (Exception e) {
        LOG.atWarn()
            .addKeyValue("resource", resource.getClass().getSimpleName())
            .setCause(e)
            .log("Closing failed");
      }
    }
  }

  private static void await(String what, CompletionStage<Void> done, Duration atMost) {
    try {
      done.toCompletableFuture().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.atWarn().addKeyValue("waitedFor", what).addKeyValue("error", e).log("Stopping anyway");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.quorate.benchmarks.paper.testbed;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.torture.testbed.disk.LimitedDevices;
import io.quorate.torture.testbed.disk.SyncDelays;
import io.quorate.torture.testbed.network.Bandwidth;
import io.quorate.torture.testbed.network.LimitedNetwork;
import io.quorate.torture.testbed.network.Network;
import io.quorate.torture.testbed.network.WideArea;
import io.quorate.torture.testbed.process.CpuQuotas;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The clusters of the compared systems, which run at the same time so that the measurements can be
 * interleaved: an idle cluster costs little. Not thread-safe.
 */
public final class Testbed implements AutoCloseable {
  /** So short that a measurement ends soon if the nodes that run complete no call. */
  private static final Duration DEADLINE_DURING_OUTAGE = Duration.ofSeconds(5);

  /** Of a limited device: several times the rows, for the logs and for tables before compaction. */
  private static final long DEVICE_BYTES = 1L << 30;

  private final Path data;
  private final Clusters setup;
  private final Optional<WideArea> wideArea;
  private final Map<Deployment, ProcessCluster> clusters = new LinkedHashMap<>();
  private final Map<SystemUnderTest, ClientPool> clients = new LinkedHashMap<>();
  private final Map<SystemUnderTest, ClientPool> clientsDuringOutage = new LinkedHashMap<>();
  private final Deque<Network> networks = new ArrayDeque<>();
  private final CpuQuotas cpuQuotas = new CpuQuotas();
  private final Optional<LimitedNetwork> limitedNetwork;
  private final Optional<SyncDelays> syncDelays;
  private final Optional<LimitedDevices> devices;

  /** The devices of a cluster follow one another, in the order of its nodes, from this number. */
  private final Map<Deployment, Integer> firstDevices = new LinkedHashMap<>();

  private Testbed(
      Path data,
      Clusters setup,
      int clusterCount,
      Optional<WideArea> wideArea,
      BandwidthLimit bandwidthLimit)
      throws IOException {
    this.data = data;
    this.setup = setup;
    this.wideArea = wideArea;
    this.limitedNetwork =
        setup.limitsBandwidth() && bandwidthLimit == BandwidthLimit.SYSTEM
            ? Optional.of(LimitedNetwork.open(setup.replicas(), setup.megabitsPerSecond()))
            : Optional.empty();
    this.syncDelays =
        setup.medium() == DataMedium.DELAYED_SYNCS
            ? Optional.of(SyncDelays.create())
            : Optional.empty();
    this.devices =
        setup.medium() == DataMedium.LIMITED_DEVICES
            ? Optional.of(LimitedDevices.create(clusterCount * setup.replicas(), DEVICE_BYTES))
            : Optional.empty();
  }

  /**
   * Starts all clusters, and blocks until they serve.
   *
   * @param data an existing directory
   * @param setup of all clusters; it limits the bandwidth only without {@code wideArea}, and delays
   *     fsyncs only without a limit
   * @param wideArea simulated network between the nodes; empty for none
   * @param bandwidthLimit what limits the bandwidth, if the setup demands a limit
   * @param starting called with each system before its cluster is started
   * @throws io.quorate.server.localcluster.ClusterException if a cluster does not serve; all are
   *     stopped and deleted then
   */
  public static Testbed open(
      List<SystemUnderTest> contenders,
      Path data,
      Clusters setup,
      Optional<WideArea> wideArea,
      BandwidthLimit bandwidthLimit,
      Consumer<SystemUnderTest> starting)
      throws IOException {
    int clusterCount =
        (int) contenders.stream().map(SystemUnderTest::deployment).distinct().count();
    Testbed testbed = new Testbed(data, setup, clusterCount, wideArea, bandwidthLimit);
    try {
      for (SystemUnderTest contender : contenders) {
        starting.accept(contender);
        testbed.start(contender.deployment());
        testbed.clients.put(contender, testbed.connect(contender, ClientPool.DEADLINE));
      }
      return testbed;
    } catch (IOException | RuntimeException e) {
      testbed.close();
      throw e;
    }
  }

  public ClientPool clients(SystemUnderTest contender) {
    return clients.get(contender);
  }

  /** The clients whose calls fail soon while the nodes that run cannot complete them. */
  public ClientPool clientsDuringOutage(SystemUnderTest contender) {
    return clientsDuringOutage.computeIfAbsent(
        contender, absent -> connect(absent, DEADLINE_DURING_OUTAGE));
  }

  public List<NodePlan> nodes(SystemUnderTest contender) {
    return clusters.get(contender.deployment()).plan().nodes();
  }

  /** The processes of the nodes that run. */
  public List<NodeProcess> runningProcesses(SystemUnderTest contender) {
    return clusters.get(contender.deployment()).nodes().stream()
        .filter(NodeProcess::isAlive)
        .toList();
  }

  /**
   * Verifies that every node of a system runs, except those that the conditions have stopped.
   *
   * @throws io.quorate.server.localcluster.ClusterException if one has ended
   */
  public void requireAlive(SystemUnderTest contender) {
    clusters.get(contender.deployment()).requireAlive();
  }

  /**
   * Applies the conditions to the nodes of a system from now on. Blocks while nodes restart.
   *
   * @return whether nodes were stopped or restarted for it
   * @throws IOException if there is no leader to distinguish from nodes that are to be slow or
   *     stopped, or a restarted node does not catch up
   */
  public boolean apply(Conditions conditions, SystemUnderTest contender)
      throws IOException, InterruptedException {
    boolean changed =
        StoppedNodes.set(
            conditions.stoppedNodes(),
            clusters.get(contender.deployment()),
            clients.get(contender));
    wideArea.ifPresent(sites -> sites.delay(conditions.oneWayDelay()));
    if (syncDelays.isPresent()) {
      syncDelays.get().set(conditions.syncs().log(), conditions.syncs().data());
    }
    if (devices.isPresent() && conditions.device().isPresent()) {
      int first = firstDevices.get(contender.deployment());
      for (int node = 0; node < setup.replicas(); node++) {
        devices.get().limit(first + node, conditions.device().get());
      }
    }
    Optional<NodeId> slow =
        conditions.corePercentOfSlow() == conditions.corePercent()
            ? Optional.empty()
            : Optional.of(slowNode(contender));
    for (NodeProcess node : runningProcesses(contender)) {
      boolean isSlow = slow.isPresent() && slow.get().equals(node.plan().id());
      cpuQuotas.limit(node, isSlow ? conditions.corePercentOfSlow() : conditions.corePercent());
    }
    return changed;
  }

  private NodeId slowNode(SystemUnderTest contender) throws IOException, InterruptedException {
    NodeId leader = Leader.await(clients(contender));
    return nodes(contender).stream()
        .map(NodePlan::id)
        .filter(node -> !node.equals(leader))
        .reduce((earlier, later) -> later)
        .orElseThrow(() -> new IOException("There is no node that does not lead."));
  }

  private void start(Deployment deployment) throws IOException {
    if (clusters.containsKey(deployment)) {
      return;
    }
    int firstDevice = firstDevices.size() * setup.replicas();
    firstDevices.put(deployment, firstDevice);
    ProcessCluster cluster =
        deployment.start(
            data,
            setup.replicas(),
            this::connected,
            (node, settings) -> launch(node, settings, firstDevice));
    clusters.put(deployment, cluster);
    if (wideArea.isPresent()) {
      networks.push(wideArea.get().connect(cluster));
    } else if (limitsByRelays()) {
      networks.push(Network.of(cluster, Bandwidth.ofMegabits(setup.megabitsPerSecond())));
    }
    // One cluster after the other: on few cores a concurrent start would take too long.
    cluster.awaitServing(ClusterOptions.SERVING_PATIENCE);
  }

  private ClusterPlan connected(ClusterPlan plan) {
    if (limitedNetwork.isPresent()) {
      return limitedNetwork.get().connected(plan);
    }
    if (limitsByRelays()) {
      return Network.relayed(plan);
    }
    return wideArea.isPresent() ? wideArea.get().spread(plan) : plan;
  }

  /** Whether the bandwidth is limited in this process. */
  private boolean limitsByRelays() {
    return setup.limitsBandwidth() && limitedNetwork.isEmpty();
  }

  private Launch launch(NodePlan node, Map<String, String> settings, int firstDevice) {
    if (devices.isPresent()) {
      return devices.get().launch(firstDevice + number(node)).withSettings(settings);
    }
    if (syncDelays.isPresent()) {
      return new Launch(List.of(), syncDelays.get().environment(), settings);
    }
    return limitedNetwork.isPresent()
        ? limitedNetwork.get().launch(node, settings)
        : Launch.with(settings);
  }

  /** From 0, in the order of the plan. */
  private int number(NodePlan node) {
    return IntStream.range(0, setup.replicas())
        .filter(i -> node.id().equals(new NodeId("n" + (i + 1))))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("Not a node of a plan: " + node.id()));
  }

  private ClientPool connect(SystemUnderTest contender, Duration deadline) {
    ClusterPlan plan = clusters.get(contender.deployment()).plan();
    List<NodeId> nodes = plan.nodes().stream().map(NodePlan::id).toList();
    List<NodeId> nearest =
        wideArea.isPresent() ? List.of(WideArea.nearestNode(), WideArea.nearestNode()) : nodes;
    return ClientPool.to(plan.clientAddresses(), nearest, contender.quorumReads(), deadline);
  }

  /** Stops all clusters. Blocks until they have ended. */
  @Override
  public void close() {
    clients.values().forEach(ClientPool::close);
    clientsDuringOutage.values().forEach(ClientPool::close);
    // Stops all nodes concurrently, so that the close of each cluster waits only briefly.
    clusters.values().forEach(cluster -> cluster.nodes().forEach(NodeProcess::terminate));
    clusters.values().forEach(ProcessCluster::close);
    networks.forEach(Network::close);
    limitedNetwork.ifPresent(LimitedNetwork::close);
    syncDelays.ifPresent(SyncDelays::close);
    devices.ifPresent(LimitedDevices::close);
    cpuQuotas.close();
  }
}

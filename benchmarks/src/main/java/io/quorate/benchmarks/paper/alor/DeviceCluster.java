package io.quorate.benchmarks.paper.alor;

import static java.util.stream.Collectors.toSet;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.torture.testbed.disk.NodeDevices;
import io.quorate.torture.testbed.disk.NodeDevices.Limit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster whose nodes have a limited device each, for log and rows. It exists for one system, and
 * its files are deleted at the end. Not thread-safe.
 */
final class DeviceCluster implements AutoCloseable {
  /** For how long no leadership moves in a cluster that is settled. */
  private static final Duration QUIET = Duration.ofSeconds(4);

  private static final Duration SETTLING_MAX = Duration.ofSeconds(45);
  private static final long POLL_MILLIS = 500;
  private static final double PERCENT = 100;
  private static final double NANOS_PER_SECOND = 1e9;

  private final DeviceMix mix;
  private final NodeDevices devices;
  private final ProcessCluster cluster;
  private final ClientPool clients;

  private DeviceCluster(
      DeviceMix mix, NodeDevices devices, ProcessCluster cluster, ClientPool clients) {
    this.mix = mix;
    this.devices = devices;
    this.cluster = cluster;
    this.clients = clients;
  }

  /**
   * Limits the devices and starts the nodes. Blocks until they serve.
   *
   * @param devices one for each node, without files
   * @param capacityBytes the most bytes of rows of a node
   * @param parent an existing directory, for files other than the data
   * @throws io.quorate.server.localcluster.ClusterException if the cluster does not serve
   */
  static DeviceCluster start(
      DeviceMix mix,
      NodeDevices devices,
      Deployment deployment,
      int regions,
      long capacityBytes,
      Path parent)
      throws IOException {
    limit(mix, devices);
    List<NodeId> nodes = IntStream.range(0, mix.nodes()).mapToObj(DeviceCluster::node).toList();
    Map<String, String> settings = new HashMap<>(deployment.settings());
    settings.put("placement.capacity", capacityBytes + "B");
    ProcessCluster cluster =
        ProcessCluster.temporary(
            parent,
            new Shape(mix.nodes(), regions, deployment.preset()),
            UnaryOperator.identity(),
            (NodePlan node) ->
                devices
                    .launch(nodes.indexOf(node.id()))
                    .withSettings(settings)
                    .withJvmFlags(deployment.jvmFlags()));
    try {
      cluster.start();
      cluster.awaitServing(ClusterOptions.SERVING_PATIENCE);
      ClientPool clients =
          ClientPool.to(
              cluster.plan().clientAddresses(), nodes, QuorumReads.BY_NODE, ClientPool.DEADLINE);
      return new DeviceCluster(mix, devices, cluster, clients);
    } catch (IOException | RuntimeException e) {
      cluster.close();
      devices.clear();
      throw e;
    }
  }

  private static void limit(DeviceMix mix, NodeDevices devices) throws IOException {
    for (int node = 0; node < mix.nodes(); node++) {
      devices.limit(node, mix.classes().get(node).limit());
    }
  }

  /** Limits all devices as at the start, from now on. */
  void limitAll() throws IOException {
    limit(mix, devices);
  }

  /** Limits the device of one node from now on. */
  void limit(int node, Limit limit) throws IOException {
    devices.limit(node, limit);
  }

  ClientPool clients() {
    return clients;
  }

  List<NodeProcess> nodes() {
    return cluster.nodes();
  }

  /**
   * Verifies that every node runs.
   *
   * @throws io.quorate.server.localcluster.ClusterException if one has ended
   */
  void requireAlive() {
    cluster.requireAlive();
  }

  /**
   * Blocks until every region has a leader and no leadership has moved for some seconds, or 45
   * seconds have passed.
   */
  void awaitSettled() throws InterruptedException {
    long end = System.nanoTime() + SETTLING_MAX.toNanos();
    long since = System.nanoTime();
    Map<GroupId, NodeId> last = Map.of();
    while (System.nanoTime() - end < 0) {
      ClusterStatus status = clients.status().join();
      Map<GroupId, NodeId> leaders = leaders(status);
      if (!leaders.equals(last) || !leaders.keySet().containsAll(regions(status))) {
        last = leaders;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > QUIET.toNanos()) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  /**
   * Blocks until the number of leaders on the first nodes has a property.
   *
   * @param nodes number of these nodes
   * @return the seconds until then; empty if it has not occurred within {@code max}
   */
  OptionalDouble awaitLeaders(int nodes, IntPredicate property, Duration max, long pollMillis)
      throws InterruptedException {
    Set<NodeId> first = IntStream.range(0, nodes).mapToObj(DeviceCluster::node).collect(toSet());
    long start = System.nanoTime();
    while (System.nanoTime() - start < max.toNanos()) {
      Map<GroupId, NodeId> leaders = leaders(clients.status().join());
      if (property.test((int) leaders.values().stream().filter(first::contains).count())) {
        return OptionalDouble.of((System.nanoTime() - start) / NANOS_PER_SECOND);
      }
      TimeUnit.MILLISECONDS.sleep(pollMillis);
    }
    return OptionalDouble.empty();
  }

  /**
   * The parts of leaders and replicas that are on devices of the slowest class, and the relation of
   * the speeds that the nodes have measured.
   */
  Map<Metric, Double> placement() {
    ClusterStatus status = clients.status().join();
    Collection<NodeId> leaders = leaders(status).values();
    List<NodeId> replicas =
        states(status).flatMap(node -> node.replicas().stream().map(replica -> node.id())).toList();
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    figures.put(Metric.LEADERS_AT_SLOWEST, percentAtSlowest(leaders));
    figures.put(Metric.REPLICAS_AT_SLOWEST, percentAtSlowest(replicas));
    DoubleSummaryStatistics speeds =
        states(status)
            .flatMap(node -> node.device().stream())
            .flatMapToDouble(device -> device.speed().stream())
            .summaryStatistics();
    if (speeds.getCount() == mix.nodes()) {
      figures.put(Metric.SPEED_RATIO, speeds.getMax() / speeds.getMin());
    }
    return figures;
  }

  private double percentAtSlowest(Collection<NodeId> nodes) {
    Set<NodeId> slowest = new HashSet<>();
    for (int i = 0; i < mix.nodes(); i++) {
      if (mix.classes().get(i) == mix.slowest()) {
        slowest.add(node(i));
      }
    }
    return PERCENT * nodes.stream().filter(slowest::contains).count() / Math.max(1, nodes.size());
  }

  private static Map<GroupId, NodeId> leaders(ClusterStatus status) {
    return states(status)
        .flatMap(
            node ->
                node.replicas().stream()
                    .map(ReplicaState::region)
                    .filter(region -> region.leader().equals(Optional.of(node.id())))
                    .map(region -> Map.entry(region.id(), node.id())))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, other) -> other));
  }

  private static Set<GroupId> regions(ClusterStatus status) {
    return states(status)
        .flatMap(node -> node.replicas().stream())
        .map(replica -> replica.region().id())
        .collect(toSet());
  }

  private static Stream<NodeState> states(ClusterStatus status) {
    return status.nodes().stream().flatMap(node -> node.state().stream());
  }

  private static NodeId node(int number) {
    return new NodeId("n" + (number + 1));
  }

  /** Stops the nodes, and removes all files and limits of the devices. */
  @Override
  public void close() {
    clients.close();
    cluster.close();
    try {
      devices.clear();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.quorate.benchmarks.paper.testbed;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.cluster.CpuQuotas;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.cluster.WideArea;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.torture.network.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The clusters of the compared systems, which run at the same time so that the measurements can be
 * interleaved: an idle cluster costs little. Not thread-safe.
 */
public final class Testbed implements AutoCloseable {
  private final Path data;
  private final int replicas;
  private final Optional<WideArea> wideArea;
  private final Map<Deployment, ProcessCluster> clusters = new LinkedHashMap<>();
  private final Map<SystemUnderTest, ClientPool> clients = new LinkedHashMap<>();
  private final Deque<Network> networks = new ArrayDeque<>();
  private final CpuQuotas cpuQuotas = new CpuQuotas();

  private Testbed(Path data, int replicas, Optional<WideArea> wideArea) {
    this.data = data;
    this.replicas = replicas;
    this.wideArea = wideArea;
  }

  /**
   * Starts all clusters, and blocks until they serve.
   *
   * @param data an existing directory
   * @param wideArea simulated network between the nodes; empty for none
   * @param starting called with each system before its cluster is started
   * @throws io.quorate.server.localcluster.ClusterException if a cluster does not serve; all are
   *     stopped and deleted then
   */
  public static Testbed open(
      List<SystemUnderTest> contenders,
      Path data,
      int replicas,
      Optional<WideArea> wideArea,
      Consumer<SystemUnderTest> starting)
      throws IOException {
    Testbed testbed = new Testbed(data, replicas, wideArea);
    try {
      for (SystemUnderTest contender : contenders) {
        starting.accept(contender);
        testbed.start(contender.deployment());
        testbed.connect(contender);
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

  public List<NodePlan> nodes(SystemUnderTest contender) {
    return clusters.get(contender.deployment()).plan().nodes();
  }

  public List<NodeProcess> processes(SystemUnderTest contender) {
    return clusters.get(contender.deployment()).nodes();
  }

  /**
   * Applies the conditions to the nodes of a system from now on.
   *
   * @throws IOException if a node does not run, or there is no leader to distinguish from the node
   *     that is to be slow
   */
  public void apply(Conditions conditions, SystemUnderTest contender) throws IOException {
    wideArea.ifPresent(sites -> sites.delay(conditions.oneWayDelay()));
    Optional<NodeId> slow =
        conditions.corePercentOfSlow() == conditions.corePercent()
            ? Optional.empty()
            : Optional.of(slowNode(contender));
    for (NodeProcess node : processes(contender)) {
      boolean isSlow = slow.isPresent() && slow.get().equals(node.plan().id());
      cpuQuotas.limit(node, isSlow ? conditions.corePercentOfSlow() : conditions.corePercent());
    }
  }

  private NodeId slowNode(SystemUnderTest contender) throws IOException {
    NodeId leader = Leader.of(clients(contender).status().join());
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
    UnaryOperator<ClusterPlan> change =
        wideArea.<UnaryOperator<ClusterPlan>>map(sites -> sites::spread).orElse(plan -> plan);
    ProcessCluster cluster = deployment.start(data, replicas, change);
    clusters.put(deployment, cluster);
    if (wideArea.isPresent()) {
      networks.push(wideArea.get().connect(cluster));
    }
    // One cluster after the other: on few cores a concurrent start would take too long.
    cluster.awaitServing(ClusterOptions.SERVING_PATIENCE);
  }

  private void connect(SystemUnderTest contender) {
    ClusterPlan plan = clusters.get(contender.deployment()).plan();
    List<NodeId> nodes = plan.nodes().stream().map(NodePlan::id).toList();
    List<NodeId> nearest =
        wideArea.isPresent() ? List.of(WideArea.nearestNode(), WideArea.nearestNode()) : nodes;
    clients.put(contender, ClientPool.to(plan.clientAddresses(), nearest, contender.quorumReads()));
  }

  /** Stops all clusters. Blocks until they have ended. */
  @Override
  public void close() {
    clients.values().forEach(ClientPool::close);
    // Stops all nodes concurrently, so that the close of each cluster waits only briefly.
    clusters.values().forEach(cluster -> cluster.nodes().forEach(NodeProcess::terminate));
    clusters.values().forEach(ProcessCluster::close);
    networks.forEach(Network::close);
    cpuQuotas.close();
  }
}

package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.cluster.ProcessorShares;
import io.quorate.benchmarks.cluster.WideArea;
import io.quorate.benchmarks.kv.Connections;
import io.quorate.consensus.NodeId;
import io.quorate.server.dev.ClusterPlan;
import io.quorate.server.dev.NodePlan;
import io.quorate.server.dev.NodeProcess;
import io.quorate.server.dev.ProcessCluster;
import io.quorate.server.verification.network.Network;
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
 * The clusters of some contenders, all up at once, so that these can take turns: one that nobody
 * asks costs little. For use by one thread.
 */
final class Stage implements AutoCloseable {
  private final Path data;
  private final int replicas;
  private final Optional<WideArea> wideArea;
  private final Map<Deployment, ProcessCluster> clusters = new LinkedHashMap<>();
  private final Map<Contender, Connections> connections = new LinkedHashMap<>();
  private final Deque<Network> networks = new ArrayDeque<>();
  private final ProcessorShares shares = new ProcessorShares();

  private Stage(Path data, int replicas, Optional<WideArea> wideArea) {
    this.data = data;
    this.replicas = replicas;
    this.wideArea = wideArea;
  }

  /**
   * Starts what is needed, and blocks until all of it serves.
   *
   * @param data an existing directory
   * @param wideArea between the nodes; empty for none
   * @param starting is told whose cluster is next
   * @throws io.quorate.server.dev.ClusterException if a cluster does not serve; nothing is left
   */
  static Stage open(
      List<Contender> contenders,
      Path data,
      int replicas,
      Optional<WideArea> wideArea,
      Consumer<Contender> starting)
      throws IOException {
    Stage stage = new Stage(data, replicas, wideArea);
    try {
      for (Contender contender : contenders) {
        starting.accept(contender);
        stage.start(contender.deployment());
        stage.connect(contender);
      }
      return stage;
    } catch (IOException | RuntimeException e) {
      stage.close();
      throw e;
    }
  }

  Connections connections(Contender contender) {
    return connections.get(contender);
  }

  List<NodePlan> nodes(Contender contender) {
    return clusters.get(contender.deployment()).plan().nodes();
  }

  List<NodeProcess> processes(Contender contender) {
    return clusters.get(contender.deployment()).nodes();
  }

  /**
   * Changes what the nodes of a contender have from now on, where there is something to change.
   *
   * @throws IOException if a node does not run, or no leader can be told from the one that is to be
   *     slow
   */
  void arrange(Conditions conditions, Contender contender) throws IOException {
    wideArea.ifPresent(sites -> sites.delay(conditions.oneWayDelay()));
    Optional<NodeId> slow =
        conditions.corePercentOfSlow() == conditions.corePercent()
            ? Optional.empty()
            : Optional.of(notLeading(contender));
    for (NodeProcess node : processes(contender)) {
      boolean isSlow = slow.isPresent() && slow.get().equals(node.plan().id());
      shares.bound(node, isSlow ? conditions.corePercentOfSlow() : conditions.corePercent());
    }
  }

  private NodeId notLeading(Contender contender) throws IOException {
    NodeId leader = Leader.of(connections(contender).status().join());
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
    // One cluster after the other: on few cores all of them together would take too long to serve.
    cluster.awaitServing(ClusterOptions.SERVING_PATIENCE);
  }

  private void connect(Contender contender) {
    ClusterPlan plan = clusters.get(contender.deployment()).plan();
    List<NodeId> nodes = plan.nodes().stream().map(NodePlan::id).toList();
    List<NodeId> nearest =
        wideArea.isPresent() ? List.of(WideArea.nearestNode(), WideArea.nearestNode()) : nodes;
    connections.put(
        contender, Connections.to(plan.clientAddresses(), nearest, contender.quorumReads()));
  }

  /** Stops everything; blocks until it is gone. */
  @Override
  public void close() {
    connections.values().forEach(Connections::close);
    // All at a time; each cluster's close then finds little left to wait for.
    clusters.values().forEach(cluster -> cluster.nodes().forEach(NodeProcess::terminate));
    clusters.values().forEach(ProcessCluster::close);
    networks.forEach(Network::close);
    shares.close();
  }
}

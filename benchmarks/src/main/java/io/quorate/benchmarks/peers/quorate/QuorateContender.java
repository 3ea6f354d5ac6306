package io.quorate.benchmarks.peers.quorate;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Three nodes of Quorate, with a replica of each region on each node.
 *
 * @param deployment preset, settings and JVM flags of the nodes
 * @param regions number of regions, 1 or more
 */
public record QuorateContender(Deployment deployment, int regions) implements Contender {
  private static final int NODES = 3;

  /** A cluster with one region and the default settings. */
  public QuorateContender(String preset) {
    this(new Deployment(preset), 1);
  }

  @Override
  public String name() {
    return "quorate-" + deployment.preset();
  }

  @Override
  public String description() {
    return "preset "
        + deployment.preset()
        + (regions == 1 ? ", one region" : ", " + regions + " regions")
        + " on three nodes, otherwise the defaults; three clients, each with"
        + " connections to all nodes and with another nearest node.";
  }

  @Override
  public void prepare(Programs programs) {
    // Its classes are those of this program.
  }

  @Override
  public Running start(Path parent) throws IOException {
    ProcessCluster cluster =
        deployment.start(
            parent,
            NODES,
            regions,
            UnaryOperator.identity(),
            (node, settings) -> Launch.with(settings));
    try {
      cluster.awaitServing(ClusterOptions.SERVING_PATIENCE);
      List<NodeId> nodes = cluster.plan().nodes().stream().map(NodePlan::id).toList();
      return new Running(
          cluster,
          ClientPool.to(
              cluster.plan().clientAddresses(), nodes, QuorumReads.BY_NODE, ClientPool.DEADLINE));
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** A cluster that serves, and its clients. */
  public record Running(ProcessCluster cluster, ClientPool clients) implements RunningContender {
    @Override
    public List<KeyValueCalls> calls() {
      return clients.calls();
    }

    @Override
    public List<ProcessHandle> processes() {
      return cluster.nodes().stream()
          .map(NodeProcess::handle)
          .flatMap(handle -> handle.stream())
          .toList();
    }

    @Override
    public void requireAlive() throws IOException {
      try {
        cluster.requireAlive();
      } catch (ClusterException e) {
        throw new IOException(e.getMessage(), e);
      }
    }

    @Override
    public void close() {
      clients.close();
      cluster.close();
    }
  }
}

package io.quorate.benchmarks.paper.testbed;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Kills and restarts nodes of a cluster until a given number of them does not run. */
final class StoppedNodes {
  private static final Duration CATCH_UP_PATIENCE = Duration.ofMinutes(2);
  private static final long POLL_MILLIS = 50;

  private StoppedNodes() {}

  /**
   * Changes the number of nodes that do not run; the leader continues to run. Restarted nodes have
   * applied everything when this returns. Blocks.
   *
   * @return whether the number was another one before
   * @throws io.quorate.server.localcluster.ClusterException if a restarted node does not serve
   * @throws IOException if there is no leader, or a restarted node does not catch up in time
   */
  static boolean set(int count, ProcessCluster cluster, ClientPool clients)
      throws IOException, InterruptedException {
    int stopped = (int) cluster.nodes().stream().filter(node -> !node.isAlive()).count();
    if (stopped == count) {
      return false;
    }
    if (stopped > count) {
      cluster.start();
      cluster.awaitServing(ClusterOptions.SERVING_PATIENCE);
      awaitCaughtUp(cluster.nodes().size(), clients);
      stopped = 0;
    }
    NodeId leader = Leader.await(clients);
    List<NodeProcess> followers =
        cluster.nodes().stream()
            .filter(NodeProcess::isAlive)
            .filter(node -> !node.plan().id().equals(leader))
            .toList();
    followers
        .subList(followers.size() - (count - stopped), followers.size())
        .forEach(NodeProcess::kill);
    return true;
  }

  private static void awaitCaughtUp(int nodes, ClientPool clients)
      throws IOException, InterruptedException {
    long started = System.nanoTime();
    while (!isCaughtUp(nodes, clients.status().join())) {
      if (System.nanoTime() - started > CATCH_UP_PATIENCE.toNanos()) {
        throw new IOException(
            "A restarted node did not catch up within " + CATCH_UP_PATIENCE.toSeconds() + " s.");
      }
      // Nodes notify of no progress.
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  /** Whether every replica of the data has applied what any of them knows to be committed. */
  private static boolean isCaughtUp(int nodes, ClusterStatus status) {
    List<ReplicaState> replicas =
        status.nodes().stream()
            .flatMap(node -> node.state().stream())
            .flatMap(node -> node.replicas().stream())
            .filter(replica -> replica.region().id().equals(Leader.REGION))
            .toList();
    long committed =
        replicas.stream().mapToLong(ReplicaState::committed).max().orElse(Long.MAX_VALUE);
    return replicas.size() == nodes
        && replicas.stream().allMatch(replica -> replica.applied() >= committed);
  }
}

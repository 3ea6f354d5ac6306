package io.quorate.benchmarks.paper.testbed;

import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Determines the leader of the data in a cluster with one data region. */
public final class Leader {
  /** The data region; region 0 describes the cluster. */
  public static final GroupId REGION = new GroupId(1);

  private static final Duration ELECTION_PATIENCE = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 50;

  private Leader() {}

  /**
   * Awaits that a node leads: during an election none does. Blocks for at most 30 s.
   *
   * @throws IOException if no node reports in time that it leads
   */
  public static NodeId await(ClientPool clients) throws IOException, InterruptedException {
    long started = System.nanoTime();
    Optional<NodeId> leader = of(clients.status().join());
    while (leader.isEmpty()) {
      if (System.nanoTime() - started > ELECTION_PATIENCE.toNanos()) {
        throw new IOException("No node reports that it leads.");
      }
      // Nodes notify of no progress.
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      leader = of(clients.status().join());
    }
    return leader.get();
  }

  /** The node that reports that it leads; empty if there is none, as during an election. */
  static Optional<NodeId> of(ClusterStatus status) {
    return status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .filter(node -> node.replicas().stream().anyMatch(each -> leads(node, each)))
        .map(NodeState::id)
        .findFirst();
  }

  /** Whether this replica belongs to the data region and reports its own node as the leader. */
  public static boolean leads(NodeState node, ReplicaState replica) {
    RegionDescriptor region = replica.region();
    return region.id().equals(REGION) && region.leader().equals(Optional.of(node.id()));
  }
}

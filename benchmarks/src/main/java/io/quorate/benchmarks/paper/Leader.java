package io.quorate.benchmarks.paper;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeReport;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.client.wire.v1.Replica;
import io.quorate.consensus.NodeId;
import java.io.IOException;
import java.util.Optional;

/** Who leads the data, where there is one region of it. */
final class Leader {
  /** The one that has the data: 0 describes the cluster. */
  private static final int REGION = 1;

  private Leader() {}

  /**
   * @throws IOException if no node says that it leads
   */
  static NodeId of(ClusterStatus status) throws IOException {
    return status.nodes().stream()
        .map(NodeReport::status)
        .flatMap(Optional::stream)
        .filter(node -> node.getReplicasList().stream().anyMatch(each -> leads(node, each)))
        .map(node -> new NodeId(node.getNode().getId()))
        .findFirst()
        .orElseThrow(() -> new IOException("No node says that it leads."));
  }

  /** Whether this replica of a node has the data and says that its node leads. */
  static boolean leads(NodeStatus node, Replica replica) {
    return replica.getRegion() == REGION && replica.getLeader().equals(node.getNode().getId());
  }
}

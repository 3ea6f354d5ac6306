package io.quorate.benchmarks.paper;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeState;
import io.quorate.client.RegionDescriptor;
import io.quorate.client.ReplicaState;
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
        .flatMap(node -> node.state().stream())
        .filter(node -> node.replicas().stream().anyMatch(each -> leads(node, each)))
        .map(NodeState::id)
        .findFirst()
        .orElseThrow(() -> new IOException("No node says that it leads."));
  }

  /** Whether this replica of a node has the data and says that its node leads. */
  static boolean leads(NodeState node, ReplicaState replica) {
    RegionDescriptor region = replica.region();
    return region.id().value() == REGION && region.leader().equals(Optional.of(node.id()));
  }
}

package io.quorate.benchmarks.paper.testbed;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.util.Optional;

/** Determines the leader of the data in a cluster with one data region. */
public final class Leader {
  /** The data region; region 0 describes the cluster. */
  public static final GroupId REGION = new GroupId(1);

  private Leader() {}

  /**
   * @throws IOException if no node reports that it leads
   */
  public static NodeId of(ClusterStatus status) throws IOException {
    return status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .filter(node -> node.replicas().stream().anyMatch(each -> leads(node, each)))
        .map(NodeState::id)
        .findFirst()
        .orElseThrow(() -> new IOException("No node reports that it leads."));
  }

  /** Whether this replica belongs to the data region and reports its own node as the leader. */
  public static boolean leads(NodeState node, ReplicaState replica) {
    RegionDescriptor region = replica.region();
    return region.id().equals(REGION) && region.leader().equals(Optional.of(node.id()));
  }
}

package io.quorate.server.topology;

import io.quorate.client.RegionEpoch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import java.util.HashSet;
import java.util.List;

/**
 * A region as it is stored: the range of its keys and the nodes to which its replicas are assigned.
 * Does not contain the leader.
 *
 * @param id the number of the region and of its consensus group
 * @param replicas the nodes with a replica, the preferred leader first; never empty
 */
public record RegionAssignment(
    GroupId id, KeyRange range, RegionEpoch epoch, List<NodeId> replicas) {
  /** The region that holds the cluster's metadata, and no client's keys. */
  public static final GroupId METADATA = new GroupId(0);

  public RegionAssignment {
    replicas = List.copyOf(replicas);
    if (replicas.isEmpty() || new HashSet<>(replicas).size() != replicas.size()) {
      throw new IllegalArgumentException(
          "Region " + id + " has at least one replica, each on another node: " + replicas);
    }
  }

  public boolean isOn(NodeId node) {
    return replicas.contains(node);
  }

  /** The node that should lead if several can. */
  public NodeId preferredLeader() {
    return replicas.get(0);
  }
}

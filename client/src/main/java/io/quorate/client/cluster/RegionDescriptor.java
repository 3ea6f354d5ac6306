package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * The description of one region by a node.
 *
 * @param id the id of the region; 0 is the region of the cluster's own metadata
 * @param epoch the version of its range and replicas
 * @param range the range of its keys
 * @param replicas the nodes to which a replica is assigned
 * @param leader the leader at the time of the description; empty if none was known
 */
public record RegionDescriptor(
    GroupId id, RegionEpoch epoch, KeyRange range, List<NodeId> replicas, Optional<NodeId> leader) {
  public RegionDescriptor {
    Nulls.refuse(id, "id");
    Nulls.refuse(epoch, "epoch");
    Nulls.refuse(range, "range");
    Nulls.refuse(leader, "leader");
    replicas = List.copyOf(Nulls.refuse(replicas, "replicas"));
  }
}

package io.quorate.server.placement;

import io.quorate.model.GroupId;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;

/**
 * A change of the replicas of one region.
 *
 * @param reason why, and what it changes where that is not obvious; no sentence, for messages
 */
public record RegionChange(GroupId region, ReplicaChange change, String reason) {

  /** The topology after the change has been planned. */
  StoredTopology planned(StoredTopology topology) {
    return topology.with(assignment(topology).planned(change));
  }

  /** The topology after the change has been planned and carried out. */
  StoredTopology completed(StoredTopology topology) {
    return topology.with(assignment(topology).planned(change).changed());
  }

  private RegionAssignment assignment(StoredTopology topology) {
    return topology.assignment(region).orElseThrow();
  }
}

package io.quorate.server.placement;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Serves the requests of operators to move replicas, at the node whose replica of region 0 serves.
 * Any thread.
 */
public final class MoveRequests {
  private final ClusterTopology topology;
  private final AsyncQuorateClient client;

  /**
   * @param topology learns of each plan at once
   * @param client requests the state of every node
   */
  public MoveRequests(ClusterTopology topology, AsyncQuorateClient client) {
    this.topology = topology;
    this.client = client;
  }

  /**
   * Plans the move of a replica. Does not block.
   *
   * @param metadata this node's replica of region 0, which serves
   * @param readers execute what reads the disk
   * @return completes when the move is planned; fails with {@link ConsensusException}
   */
  public CompletionStage<Void> move(
      MetadataRegion metadata, GroupId region, ReplicaChange move, Executor readers) {
    return client
        .status()
        .thenComposeAsync(
            status -> {
              StoredTopology present = metadata.require();
              StoredTopology next = plan(ClusterPicture.of(present, status), region, move);
              return PlannedTopology.store(metadata, present, next, topology);
            },
            readers);
  }

  /**
   * The topology in which a replica is to move. A planned move that is requested again is accepted,
   * so that a request can be repeated.
   *
   * @throws ConsensusException.Invalid if there is no such region, node or replica
   * @throws ConsensusException.Unavailable while another change of the region is planned, or its
   *     replica has yet to apply a split
   */
  static StoredTopology plan(ClusterPicture picture, GroupId id, ReplicaChange move) {
    NodeId from = move.from().orElseThrow();
    NodeId to = move.to().orElseThrow();
    StoredTopology topology = picture.topology();
    RegionAssignment region = topology.assignment(id).orElseThrow(() -> absent(topology, id));
    if (topology.node(to).isEmpty()) {
      throw new ConsensusException.Invalid("The cluster has no node " + to + ".");
    }
    if (region.change().equals(Optional.of(move))) {
      return topology;
    }
    if (!region.isStable()) {
      throw new ConsensusException.Unavailable(
          region.underWay().orElseThrow()
              + " is under way; the next change can follow when that is done.");
    }
    if (!region.isOn(from)) {
      throw new ConsensusException.Invalid(
          String.format(
              Locale.ROOT,
              "Region %s has no replica on %s, but on %s.",
              id,
              from,
              region.replicas()));
    }
    if (region.isOn(to)) {
      throw new ConsensusException.Invalid(
          String.format(Locale.ROOT, "Region %s has a replica on %s already.", id, to));
    }
    if (picture.isUnsplit(id, from)) {
      throw new ConsensusException.Unavailable(
          String.format(
              Locale.ROOT,
              "Node %s has yet to open a replica that may begin by a split of region %s; try again when it has.",
              from,
              id));
    }
    return topology.with(region.planned(move));
  }

  /** A child of a split is served before the split is recorded as complete. */
  private static ConsensusException absent(StoredTopology topology, GroupId id) {
    return topology.assignments().stream()
            .flatMap(region -> region.split().stream())
            .anyMatch(split -> split.child().equals(id))
        ? new ConsensusException.Unavailable(
            "Region " + id + " begins by a split that is under way; try again when it is complete.")
        : new ConsensusException.Invalid("There is no region " + id + ".");
  }
}

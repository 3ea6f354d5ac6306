package io.quorate.server.topology;

import io.quorate.client.RegionEpoch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * A region as it is stored: the range of its keys and the nodes to which its replicas are assigned.
 * Does not contain the leader.
 *
 * @param id the number of the region and of its consensus group
 * @param epoch increases with every change of the others
 * @param replicas the nodes with a replica, the preferred leader first; never empty. While a move
 *     is planned, the group may have its members before or after the move.
 * @param move the planned move of a replica, until the group has the members after it
 */
public record RegionAssignment(
    GroupId id,
    KeyRange range,
    RegionEpoch epoch,
    List<NodeId> replicas,
    Optional<ReplicaMove> move) {
  /** The region that holds the cluster's metadata, and no client's keys. */
  public static final GroupId METADATA = new GroupId(0);

  public RegionAssignment {
    replicas = List.copyOf(replicas);
    if (replicas.isEmpty() || new HashSet<>(replicas).size() != replicas.size()) {
      throw new IllegalArgumentException(
          "Region " + id + " has at least one replica, each on another node: " + replicas);
    }
    if (move.isPresent()
        && (!replicas.contains(move.get().from()) || replicas.contains(move.get().to()))) {
      throw new IllegalArgumentException(
          "A replica of region " + id + " cannot move: " + move.get() + " with " + replicas);
    }
  }

  /** Without a planned move. */
  public RegionAssignment(GroupId id, KeyRange range, RegionEpoch epoch, List<NodeId> replicas) {
    this(id, range, epoch, replicas, Optional.empty());
  }

  public boolean isOn(NodeId node) {
    return replicas.contains(node);
  }

  /** Whether a replica is to move to the node. */
  public boolean isMovingTo(NodeId node) {
    return move.isPresent() && move.get().to().equals(node);
  }

  /** The nodes with a replica after the planned move; the present ones if none is planned. */
  public List<NodeId> replicasAfterMove() {
    return replicas.stream()
        .map(node -> move.isPresent() && move.get().from().equals(node) ? move.get().to() : node)
        .toList();
  }

  /**
   * The next epoch of the region, in which a move is planned.
   *
   * @throws IllegalArgumentException if there is no replica on the first node, or one on the second
   */
  public RegionAssignment planned(ReplicaMove planned) {
    return new RegionAssignment(id, range, epoch.next(), replicas, Optional.of(planned));
  }

  /** The next epoch of the region, in which the planned move is complete. */
  public RegionAssignment moved() {
    return new RegionAssignment(id, range, epoch.next(), replicasAfterMove(), Optional.empty());
  }

  /** The node that should lead if several can. */
  public NodeId preferredLeader() {
    return replicas.get(0);
  }
}

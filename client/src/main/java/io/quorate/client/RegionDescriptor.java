package io.quorate.client;

import com.google.protobuf.ByteString;
import io.quorate.client.wire.Routing;
import io.quorate.client.wire.v1.Region;
import io.quorate.client.wire.v1.Replica;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import java.time.Duration;
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
    replicas = List.copyOf(replicas);
  }

  /**
   * @throws IllegalArgumentException if the message contains an invalid name or id, or an epoch
   *     below 1
   */
  static RegionDescriptor of(Region region) {
    return new RegionDescriptor(
        new GroupId(region.getId()),
        new RegionEpoch(region.getEpoch()),
        range(region.getStart(), region.hasEnd(), region.getEnd()),
        region.getReplicasList().stream().map(NodeId::new).toList(),
        leader(region.getLeader()));
  }

  /**
   * Returns the region as its replica describes it.
   *
   * @throws IllegalArgumentException if the message contains an invalid name or id, or an epoch
   *     below 1
   */
  static RegionDescriptor of(Replica replica) {
    return new RegionDescriptor(
        new GroupId(replica.getRegion()),
        new RegionEpoch(replica.getEpoch()),
        range(replica.getStart(), replica.hasEnd(), replica.getEnd()),
        replica.getReplicasList().stream().map(NodeId::new).toList(),
        leader(replica.getLeader()));
  }

  private static KeyRange range(ByteString start, boolean hasEnd, ByteString end) {
    return new KeyRange(key(start), hasEnd ? Optional.of(key(end)) : Optional.<Key>empty());
  }

  private static Key key(ByteString bytes) {
    return Key.wrap(bytes.toByteArray());
  }

  private static Optional<NodeId> leader(String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(new NodeId(name));
  }

  /**
   * Returns the routing part of a request to this region.
   *
   * @param timeout how long the client waits for the response
   */
  Routing routing(Duration timeout) {
    return new Routing(id.value(), epoch.value(), (int) Math.max(1, timeout.toMillis()));
  }
}

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
 * One region as a node described it.
 *
 * @param id 0 is the region of the cluster's own metadata
 * @param range of its keys
 * @param replicas nodes that are to have a replica
 * @param leader who led it when it was described, as far as the describing node knew
 */
public record RegionDescriptor(
    GroupId id, RegionEpoch epoch, KeyRange range, List<NodeId> replicas, Optional<NodeId> leader) {
  public RegionDescriptor {
    replicas = List.copyOf(replicas);
  }

  /**
   * @throws IllegalArgumentException if a name in it is none
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
   * As its replica has it.
   *
   * @throws IllegalArgumentException if a name in it is none
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

  /** What stands before a request to this region that is waited for this long. */
  Routing routing(Duration timeout) {
    return new Routing(id.value(), epoch.value(), (int) Math.max(1, timeout.toMillis()));
  }
}

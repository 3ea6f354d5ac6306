package io.quorate.client.internal.topology;

import com.google.protobuf.ByteString;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeDescriptor;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.Region;
import io.quorate.protocol.wire.v1.Replica;
import java.time.Duration;
import java.util.Optional;

/**
 * Nodes and regions in messages. A message with an invalid name or id, or an epoch below 1, is
 * refused with {@link IllegalArgumentException}. Any thread; nothing blocks.
 */
public final class TopologyReader {
  private TopologyReader() {}

  /** A node of a topology. */
  public static NodeDescriptor node(Node node) {
    return new NodeDescriptor(
        new NodeId(node.getId()),
        new NodeAddress(node.getHost(), node.getClientPort()),
        node.getLabelsList(),
        node.getDraining());
  }

  /** The node that a change or a leadership names; empty if it names none. */
  public static Optional<NodeId> optionalNode(String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(new NodeId(name));
  }

  /** A region of a topology. */
  public static RegionDescriptor region(Region region) {
    return new RegionDescriptor(
        new GroupId(region.getId()),
        new RegionEpoch(region.getEpoch()),
        range(region.getStart(), region.hasEnd(), region.getEnd()),
        region.getReplicasList().stream().map(NodeId::new).toList(),
        optionalNode(region.getLeader()));
  }

  /** A region as one of its replicas describes it. */
  public static RegionDescriptor region(Replica replica) {
    return new RegionDescriptor(
        new GroupId(replica.getRegion()),
        new RegionEpoch(replica.getEpoch()),
        range(replica.getStart(), replica.hasEnd(), replica.getEnd()),
        replica.getReplicasList().stream().map(NodeId::new).toList(),
        optionalNode(replica.getLeader()));
  }

  private static KeyRange range(ByteString start, boolean hasEnd, ByteString end) {
    return new KeyRange(key(start), hasEnd ? Optional.of(key(end)) : Optional.<Key>empty());
  }

  private static Key key(ByteString bytes) {
    return Key.wrap(bytes.toByteArray());
  }

  /**
   * The routing part of a request to a region.
   *
   * @param timeout how long the client waits for the response
   */
  public static Routing routing(RegionDescriptor region, Duration timeout) {
    return new Routing(
        region.id().value(), region.epoch().value(), (int) Math.max(1, timeout.toMillis()));
  }
}

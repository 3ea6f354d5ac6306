package io.quorate.server.topology;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.quorate.client.RegionEpoch;
import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.Region;
import io.quorate.client.wire.v1.ReplicaMovement;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import io.quorate.server.config.ClusterConfig;
import io.quorate.server.config.ClusterNode;
import java.util.List;
import java.util.Optional;

/** Converts the cluster topology to protobuf messages, and back. */
public final class TopologyMessages {
  private TopologyMessages() {}

  public static Node of(ClusterNode node) {
    return Node.newBuilder()
        .setId(node.id().value())
        .setHost(node.host())
        .setClientPort(node.clientPort())
        .setConsensusPort(node.consensusPort())
        .setAdminPort(node.adminPort())
        .setTransportPort(node.transportPort())
        .build();
  }

  /** Without a leader, which is not part of an assignment. */
  public static Region.Builder of(RegionAssignment region) {
    Region.Builder message =
        Region.newBuilder()
            .setId(region.id().value())
            .setEpoch(region.epoch().value())
            .setStart(bytes(region.range().start()));
    region.range().end().ifPresent(end -> message.setEnd(bytes(end)));
    region.replicas().forEach(node -> message.addReplicas(node.value()));
    region
        .move()
        .ifPresent(
            move ->
                message.setMove(
                    ReplicaMovement.newBuilder()
                        .setFrom(move.from().value())
                        .setTo(move.to().value())));
    return message;
  }

  /** The initial topology of a cluster, to be stored. */
  public static Topology of(ClusterConfig cluster, RegionTable table) {
    Topology.Builder message = Topology.newBuilder().setClusterId(cluster.id().value());
    cluster.nodes().forEach(node -> message.addNodes(of(node)));
    table.regions().forEach(region -> message.addRegions(of(region)));
    return message.build();
  }

  /** A stored topology with other regions. */
  public static Topology with(Topology stored, RegionTable table) {
    Topology.Builder message = stored.toBuilder().clearRegions();
    table.regions().forEach(region -> message.addRegions(of(region)));
    return message.build();
  }

  /**
   * @throws IllegalArgumentException if the message is not a valid and complete topology
   */
  public static RegionTable table(Topology message) {
    List<RegionAssignment> regions =
        message.getRegionsList().stream().map(TopologyMessages::region).toList();
    return new RegionTable(regions);
  }

  /**
   * @throws IllegalArgumentException if the id of a node is invalid
   */
  public static List<ClusterNode> nodes(Topology message) {
    return message.getNodesList().stream()
        .map(
            node ->
                new ClusterNode(
                    new NodeId(node.getId()),
                    node.getHost(),
                    node.getClientPort(),
                    node.getConsensusPort(),
                    node.hasTransportPort()
                        ? node.getTransportPort()
                        : ClusterNode.transportPortFor(node.getConsensusPort()),
                    node.getAdminPort()))
        .toList();
  }

  public static ByteString bytes(Key key) {
    return UnsafeByteOperations.unsafeWrap(key.bytes());
  }

  private static RegionAssignment region(Region message) {
    Optional<Key> end =
        message.hasEnd() ? Optional.of(Key.wrap(message.getEnd().toByteArray())) : Optional.empty();
    return new RegionAssignment(
        new GroupId(message.getId()),
        new KeyRange(Key.wrap(message.getStart().toByteArray()), end),
        new RegionEpoch(message.getEpoch()),
        message.getReplicasList().stream().map(NodeId::new).toList(),
        message.hasMove()
            ? Optional.of(
                new ReplicaMove(
                    new NodeId(message.getMove().getFrom()), new NodeId(message.getMove().getTo())))
            : Optional.empty());
  }
}

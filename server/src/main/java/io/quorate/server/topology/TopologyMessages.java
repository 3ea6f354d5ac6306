package io.quorate.server.topology;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.FoundingId;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.Region;
import io.quorate.protocol.wire.v1.Topology;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Converts the cluster topology to protobuf messages, and back. */
public final class TopologyMessages {
  private static final int DISK_BYTES = 16;

  private TopologyMessages() {}

  /** What the configuration of the node has. */
  public static Node of(ClusterNode node) {
    return Node.newBuilder()
        .setId(node.id().value())
        .setHost(node.host())
        .setClientPort(node.clientPort())
        .setConsensusPort(node.consensusPort())
        .setAdminPort(node.adminPort())
        .addAllLabels(node.labels())
        .build();
  }

  public static Node of(NodeEntry entry) {
    Node.Builder message =
        of(entry.node()).toBuilder()
            .setDraining(entry.isDraining())
            .setSplitsRegions(entry.ranges().covers(RangeSupport.SPLITS_OF_ROWS))
            .setSplitsBodies(entry.ranges().covers(RangeSupport.SPLITS))
            .setMergesRegions(entry.ranges().covers(RangeSupport.MERGES));
    entry.disk().ifPresent(disk -> message.setDisk(bytes(disk)));
    return message.build();
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
    region.change().ifPresent(change -> message.setChange(of(change)));
    region
        .split()
        .ifPresent(
            split ->
                message.setSplit(
                    io.quorate.protocol.wire.v1.PlannedSplit.newBuilder()
                        .setAt(bytes(split.at()))
                        .setChild(split.child().value())));
    region.merge().ifPresent(merge -> message.setMerge(of(merge)));
    if (!region.newestChange().equals(region.id())) {
      message.setNewestChange(region.newestChange().value());
    }
    return message;
  }

  private static io.quorate.protocol.wire.v1.PlannedMerge of(PlannedMerge merge) {
    return io.quorate.protocol.wire.v1.PlannedMerge.newBuilder()
        .setNumber(merge.number().value())
        .setAbsorbed(merge.absorbed().value())
        .setInto(merge.into().value())
        .build();
  }

  public static io.quorate.protocol.wire.v1.ReplicaChange of(ReplicaChange change) {
    io.quorate.protocol.wire.v1.ReplicaChange.Builder message =
        io.quorate.protocol.wire.v1.ReplicaChange.newBuilder();
    change.from().map(NodeId::value).ifPresent(message::setFrom);
    change.to().map(NodeId::value).ifPresent(message::setTo);
    return message.build();
  }

  /** Without leaders and without what describes how regions are served. */
  public static Topology of(StoredTopology stored) {
    Topology.Builder message =
        Topology.newBuilder()
            .setClusterId(stored.cluster().value())
            .setFounding(FoundingId.bytes(stored.founding()))
            .setVersion(stored.version().value())
            .setMetadata(of(stored.metadata()))
            .setReplicasPerRegion(stored.replicas());
    stored.nodes().forEach(node -> message.addNodes(of(node)));
    stored.regions().regions().forEach(region -> message.addRegions(of(region)));
    return message.build();
  }

  /**
   * @throws IllegalArgumentException if the message is not a valid and complete topology
   * @throws io.quorate.common.DecodeException if the id of its founding is malformed
   */
  public static StoredTopology stored(Topology message) {
    List<NodeEntry> nodes = message.getNodesList().stream().map(TopologyMessages::entry).toList();
    RegionTable regions =
        new RegionTable(message.getRegionsList().stream().map(TopologyMessages::region).toList());
    return new StoredTopology(
        new ClusterId(message.getClusterId()),
        FoundingId.of(message)
            .orElseThrow(() -> new IllegalArgumentException("It has no id of its founding")),
        new TopologyVersion(message.getVersion()),
        nodes,
        message.hasMetadata()
            ? region(message.getMetadata())
            : Bootstrap.metadata(nodes.stream().map(NodeEntry::id).toList()),
        regions,
        message.getReplicasPerRegion() > 0
            ? message.getReplicasPerRegion()
            : regions.regions().get(0).replicas().size());
  }

  /**
   * @throws IllegalArgumentException if the name of the node or its disk is invalid
   */
  public static NodeEntry entry(Node message) {
    return new NodeEntry(
        new ClusterNode(
            new NodeId(message.getId()),
            message.getHost(),
            message.getClientPort(),
            message.getConsensusPort(),
            message.getAdminPort(),
            message.getLabelsList()),
        message.hasDisk() ? Optional.of(uuid(message.getDisk())) : Optional.empty(),
        message.getDraining(),
        ranges(message));
  }

  private static RangeSupport ranges(Node message) {
    if (message.getMergesRegions()) {
      return RangeSupport.MERGES;
    }
    if (message.getSplitsBodies()) {
      return RangeSupport.SPLITS;
    }
    return message.getSplitsRegions() ? RangeSupport.SPLITS_OF_ROWS : RangeSupport.NONE;
  }

  /**
   * @throws IllegalArgumentException if a name is invalid, or none is given
   */
  public static ReplicaChange change(io.quorate.protocol.wire.v1.ReplicaChange message) {
    return new ReplicaChange(node(message.getFrom()), node(message.getTo()));
  }

  private static Optional<NodeId> node(String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(new NodeId(name));
  }

  public static ByteString bytes(Key key) {
    return UnsafeByteOperations.unsafeWrap(key.bytes());
  }

  private static ByteString bytes(UUID disk) {
    return UnsafeByteOperations.unsafeWrap(
        ByteBuffer.allocate(DISK_BYTES)
            .putLong(disk.getMostSignificantBits())
            .putLong(disk.getLeastSignificantBits())
            .flip());
  }

  private static UUID uuid(ByteString bytes) {
    if (bytes.size() != DISK_BYTES) {
      throw new IllegalArgumentException(
          "The identity of a disk has " + DISK_BYTES + " bytes, not " + bytes.size());
    }
    ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  private static PlannedSplit split(io.quorate.protocol.wire.v1.PlannedSplit message) {
    return new PlannedSplit(
        Key.wrap(message.getAt().toByteArray()), new GroupId(message.getChild()));
  }

  private static PlannedMerge merge(io.quorate.protocol.wire.v1.PlannedMerge message) {
    return new PlannedMerge(
        new GroupId(message.getNumber()),
        new GroupId(message.getAbsorbed()),
        new GroupId(message.getInto()));
  }

  private static RegionAssignment region(Region message) {
    Optional<Key> end =
        message.hasEnd() ? Optional.of(Key.wrap(message.getEnd().toByteArray())) : Optional.empty();
    return new RegionAssignment(
        new GroupId(message.getId()),
        new KeyRange(Key.wrap(message.getStart().toByteArray()), end),
        new RegionEpoch(message.getEpoch()),
        message.getReplicasList().stream().map(NodeId::new).toList(),
        message.hasChange() ? Optional.of(change(message.getChange())) : Optional.empty(),
        message.hasSplit() ? Optional.of(split(message.getSplit())) : Optional.empty(),
        message.hasMerge() ? Optional.of(merge(message.getMerge())) : Optional.empty(),
        new GroupId(message.getNewestChange() > 0 ? message.getNewestChange() : message.getId()));
  }
}

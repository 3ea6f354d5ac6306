package io.quorate.server.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.Topology;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TopologyMessagesTest {
  private static final PlannedSplit SPLIT = new PlannedSplit(Key.utf8("m"), new GroupId(2));
  private static final NodeId N2 = new NodeId("n2");
  private static final ClusterNode NODE = new ClusterNode(new NodeId("n1"), "h1", 7001, 7101, 7201);

  @Test
  void nodesRoundTrip() {
    assertThat(nodes(TopologyMessages.of(NODE))).containsExactly(NODE);
  }

  @Test
  void aStoredTopologyRoundTrips() {
    StoredTopology first = stored();
    ReplicaChange change = ReplicaChange.move(new NodeId("n1"), new NodeId("n2"));
    for (StoredTopology each :
        List.of(
            first,
            first.with(first.metadata().planned(change)),
            first.with(first.regions().regions().get(0).planned(ReplicaChange.add(N2))),
            first.with(first.regions().regions().get(0).planned(SPLIT)),
            first
                .with(first.regions().regions().get(0).planned(SPLIT))
                .divided(first.regions().regions().get(0).id()),
            first.with(
                new NodeEntry(NODE, Optional.of(new UUID(1, 2)), true, RangeSupport.SPLITS)))) {
      assertThat(TopologyMessages.stored(TopologyMessages.of(each))).isEqualTo(each);
    }
  }

  /** The version before stored nodes and regions alone. */
  @Test
  void aTopologyOfAnEarlierVersionIsRead() {
    Topology former =
        TopologyMessages.of(stored()).toBuilder()
            .clearVersion()
            .clearMetadata()
            .clearReplicasPerRegion()
            .build();
    StoredTopology read = TopologyMessages.stored(former);
    assertThat(read.version()).isEqualTo(TopologyVersion.FIRST);
    assertThat(read.metadata().replicas()).containsExactly(NODE.id());
    assertThat(read.replicas()).isEqualTo(1);
  }

  @Test
  void aDiskOfAnotherLengthIsRejected() {
    Node node =
        TopologyMessages.of(NODE).toBuilder().setDisk(ByteString.copyFromUtf8("short")).build();
    assertThatThrownBy(() -> TopologyMessages.entry(node))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16 bytes");
  }

  private static StoredTopology stored() {
    RegionAssignment region =
        new RegionAssignment(new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(NODE.id()));
    return new StoredTopology(
        new ClusterId("c"),
        new UUID(0, 1),
        TopologyVersion.FIRST,
        List.of(new NodeEntry(NODE, Optional.empty(), false, RangeSupport.NONE)),
        new RegionAssignment(
            RegionAssignment.METADATA, KeyRange.ALL, RegionEpoch.FIRST, List.of(NODE.id())),
        new RegionTable(List.of(region)),
        3);
  }

  private static List<ClusterNode> nodes(Node stored) {
    return List.of(TopologyMessages.entry(stored).node());
  }
}

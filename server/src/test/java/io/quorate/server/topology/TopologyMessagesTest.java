package io.quorate.server.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.RegionEpoch;
import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import io.quorate.server.config.ClusterNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopologyMessagesTest {
  private static final ClusterNode NODE =
      new ClusterNode(new NodeId("n1"), "h1", 7001, 7101, 7401, 7201);

  @Test
  void nodesRoundTrip() {
    assertThat(nodes(TopologyMessages.of(NODE))).containsExactly(NODE);
  }

  /** Versions before the transport port was configurable stored none. */
  @Test
  void aNodeStoredWithoutATransportPortHasTheDefaultOne() {
    Node former = TopologyMessages.of(NODE).toBuilder().clearTransportPort().build();
    assertThat(nodes(former))
        .containsExactly(new ClusterNode(new NodeId("n1"), "h1", 7001, 7101, 7301, 7201));
  }

  @Test
  void regionsRoundTrip() {
    RegionAssignment region =
        new RegionAssignment(
            new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(new NodeId("n1")));
    ReplicaMove move = new ReplicaMove(new NodeId("n1"), new NodeId("n2"));
    Topology stored = Topology.newBuilder().addNodes(TopologyMessages.of(NODE)).build();
    for (RegionAssignment each : List.of(region, region.planned(move))) {
      RegionTable table = new RegionTable(List.of(each));
      Topology changed = TopologyMessages.with(stored, table);
      assertThat(TopologyMessages.table(changed)).isEqualTo(table);
      assertThat(TopologyMessages.nodes(changed)).containsExactly(NODE);
    }
  }

  private static List<ClusterNode> nodes(Node stored) {
    return TopologyMessages.nodes(Topology.newBuilder().addNodes(stored).build());
  }
}

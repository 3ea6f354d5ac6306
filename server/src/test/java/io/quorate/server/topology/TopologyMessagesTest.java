package io.quorate.server.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.Topology;
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

  private static List<ClusterNode> nodes(Node stored) {
    return TopologyMessages.nodes(Topology.newBuilder().addNodes(stored).build());
  }
}

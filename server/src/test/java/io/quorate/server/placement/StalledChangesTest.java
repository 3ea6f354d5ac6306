package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StalledChangesTest {
  private static final GroupId REGION = new GroupId(1);
  private static final NodeDevice WELL = new NodeDevice(0, Long.MAX_VALUE, false);
  private static final NodeDevice SLOW = new NodeDevice(0, Long.MAX_VALUE, true);

  private final StalledChanges changes = new StalledChanges();

  /** Region 1 is to move from n1 to n4; n5 has no replica of it. */
  private static StoredTopology moving() {
    StoredTopology topology = new Pictures(3).nodes(5).metadata(1, 2, 3).region(1, 2, 3).topology();
    return topology.with(
        topology.assignment(REGION).orElseThrow().planned(ReplicaChange.move(node(1), node(4))));
  }

  private static ClusterPicture picture(StoredTopology topology, NodeId... slow) {
    Map<NodeId, NodeDevice> devices = new HashMap<>();
    topology.nodes().forEach(node -> devices.put(node.id(), WELL));
    for (NodeId node : slow) {
      devices.put(node, SLOW);
    }
    return Pictures.measured(topology, devices, Map.of(), Map.of());
  }

  private boolean isStalled(StoredTopology topology, long nanos, long now) {
    return changes.isStalled(topology.assignment(REGION).orElseThrow(), nanos, now);
  }

  @Test
  void aReceiverThatDoesNotOpenTheReplicaStallsTheChange() {
    StoredTopology topology = moving();
    changes.observed(picture(topology), region -> false, 100);
    changes.observed(picture(topology), region -> false, 150);
    assertThat(isStalled(topology, 60, 159)).isFalse();
    assertThat(isStalled(topology, 60, 160)).isTrue();
    changes.observed(picture(topology), region -> true, 170);
    changes.observed(picture(topology), region -> false, 180);
    assertThat(isStalled(topology, 60, 239)).as("received meanwhile").isFalse();
  }

  @Test
  void aReceiverWithASlowDeviceStallsTheChangeWhileAnotherIsWell() {
    StoredTopology topology = moving();
    changes.observed(picture(topology, node(4), node(5)), region -> true, 100);
    assertThat(isStalled(topology, 0, 100)).as("no other is well").isFalse();
    changes.observed(picture(topology, node(4)), region -> true, 200);
    assertThat(isStalled(topology, 10, 210)).isTrue();
  }

  @Test
  void aLaterPlanBeginsAnew() {
    StoredTopology topology = moving();
    changes.observed(picture(topology), region -> false, 100);
    RegionAssignment withdrawn = topology.assignment(REGION).orElseThrow().withdrawn();
    StoredTopology after = topology.with(withdrawn);
    changes.observed(picture(after), region -> false, 200);
    assertThat(isStalled(after, 0, 300)).as("nothing is received").isFalse();
    RegionAssignment again = withdrawn.changed().planned(ReplicaChange.move(node(1), node(4)));
    StoredTopology repeated = topology.with(again);
    changes.observed(picture(repeated), region -> false, 400);
    assertThat(isStalled(repeated, 10, 409)).isFalse();
    assertThat(isStalled(repeated, 10, 410)).isTrue();
  }
}

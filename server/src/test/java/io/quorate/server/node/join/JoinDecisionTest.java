package io.quorate.server.node.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.node.join.JoinDecision.Action;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class JoinDecisionTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final List<NodeId> THREE = List.of(N1, N2, N3);
  private static final UUID DISK = new UUID(0, 1);

  private static JoinDecision first(JoinState own, Map<NodeId, JoinState> reported) {
    return JoinDecision.of(
        N1,
        DISK,
        own,
        THREE,
        new Peers.Reports(reported, Map.of(N3, "It did not respond.")),
        Optional.empty());
  }

  private static JoinDecision joining(JoinState own, StoredTopology topology) {
    return JoinDecision.of(N1, DISK, own, THREE, Peers.Reports.NONE, Optional.of(topology));
  }

  private static StoredTopology topology(NodeId node, Optional<UUID> disk) {
    RegionAssignment metadata =
        new RegionAssignment(
            RegionAssignment.METADATA, KeyRange.ALL, RegionEpoch.FIRST, List.of(N2));
    return new StoredTopology(
        new ClusterId("c"),
        new UUID(0, 1),
        TopologyVersion.FIRST,
        List.of(
            new NodeEntry(new ClusterNode(node, "h", 1, 2, 3), disk, false, RangeSupport.SPLITS)),
        metadata,
        new RegionTable(
            List.of(
                new RegionAssignment(
                    new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(N2)))),
        1);
  }

  @Test
  void allOfThreeNodesStartAClusterForTheFirstTime() {
    assertThat(first(JoinState.NEW, Map.of(N2, JoinState.NEW, N3, JoinState.FOUNDING)).action())
        .isEqualTo(Action.FOUND);
    JoinDecision two = first(JoinState.NEW, Map.of(N2, JoinState.NEW));
    assertThat(two.action()).isEqualTo(Action.WAIT);
    assertThat(two.reason()).contains("needs 3 of them; waiting for n3 (It did not respond.)");
  }

  /** The node cannot tell from its empty directory whether it was one of those that started it. */
  @Test
  void aNewNodeBeginsNothingWhereAnotherHasJoined() {
    JoinDecision decision = first(JoinState.NEW, Map.of(N2, JoinState.NEW, N3, JoinState.JOINED));
    assertThat(decision.action()).isEqualTo(Action.WAIT);
  }

  @ParameterizedTest
  @EnumSource(
      value = JoinState.class,
      names = {"FOUNDING", "JOINED"})
  void aNodeThatHasBegunWaitsForTheTopology(JoinState own) {
    assertThat(first(own, Map.of(N2, JoinState.NEW, N3, JoinState.NEW)).action())
        .isEqualTo(Action.WAIT);
  }

  @Test
  void aNewNodeRegistersItsDiskBeforeItServes() {
    assertThat(joining(JoinState.NEW, topology(N1, Optional.empty())).action())
        .isEqualTo(Action.REGISTER);
    assertThat(joining(JoinState.NEW, topology(N1, Optional.of(DISK))).action())
        .isEqualTo(Action.SERVE);
  }

  /** Of an earlier version, which registered no disks. */
  @Test
  void aNodeThatJoinedBeforeServes() {
    assertThat(joining(JoinState.JOINED, topology(N1, Optional.empty())).action())
        .isEqualTo(Action.SERVE);
  }

  @Test
  void aNodeWithAnotherDiskThanRegisteredDoesNotServe() {
    StoredTopology other = topology(N1, Optional.of(new UUID(0, 9)));
    JoinDecision emptied = joining(JoinState.NEW, other);
    assertThat(emptied.action()).isEqualTo(Action.WAIT);
    assertThat(emptied.reason()).contains("node replace");
    assertThat(joining(JoinState.JOINED, other).action())
        .as("a disk that was replaced")
        .isEqualTo(Action.STOP);
  }

  @Test
  void aNodeThatIsNotInTheClusterWaitsToBeAdded() {
    JoinDecision decision = joining(JoinState.NEW, topology(N2, Optional.of(DISK)));
    assertThat(decision.action()).isEqualTo(Action.WAIT);
    assertThat(decision.reason()).contains("node add");
  }

  /** Any two sets of nodes that start a cluster have two in common, so one lost disk is noticed. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "3, 3", "4, 3", "5, 4", "6, 4", "7, 5", "9, 6"})
  void theFirstStartNeedsMoreThanAMajority(int nodes, int needed) {
    assertThat(JoinDecision.nodesToFound(nodes)).isEqualTo(needed);
    if (nodes > 2) {
      assertThat(2 * needed - nodes).isGreaterThanOrEqualTo(2);
    }
  }
}

package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The node n3, whose database is damaged, and what n1 and n2 report of region 1. */
class RebuildSafetyTest {
  private static final GroupId REGION = new GroupId(1);
  private static final long COMMITTED = 7;

  /** What a node reports; the defaults are those of a node that is well. */
  private record Node(
      int number,
      boolean serves,
      long applied,
      Optional<String> refusal,
      List<String> failures,
      Map<GroupId, RegionEpoch> lost,
      NodeState.JoinState joined,
      Set<NodeId> lostMembers,
      Optional<ReplicaState.Bodies> bodies,
      Optional<String> problem) {
    static Node well(int number, boolean serves) {
      return new Node(
          number,
          serves,
          COMMITTED,
          Optional.empty(),
          List.of(),
          Map.of(),
          NodeState.JoinState.JOINED,
          Set.of(),
          Optional.empty(),
          Optional.empty());
    }
  }

  private static NodeId id(int number) {
    return new NodeId("n" + number);
  }

  private static NodeReport report(Node node) {
    return report(node, 3);
  }

  private static NodeReport report(Node node, int members) {
    List<NodeId> all = IntStream.rangeClosed(1, members).mapToObj(RebuildSafetyTest::id).toList();
    ReplicaState replica =
        new ReplicaState(
            new RegionDescriptor(REGION, RegionEpoch.FIRST, KeyRange.ALL, all, Optional.of(id(1))),
            all,
            node.serves(),
            1,
            node.applied(),
            node.applied(),
            node.applied(),
            Optional.empty(),
            node.bodies(),
            0,
            0,
            ReplicaState.SplitKeys.NONE,
            false,
            OptionalDouble.empty(),
            node.lostMembers(),
            Optional.empty(),
            node.problem(),
            Optional.empty(),
            OptionalDouble.empty(),
            Optional.empty());
    NodeState state =
        new NodeState(
            id(node.number()),
            "c",
            "1",
            "raft",
            Map.of(),
            Duration.ZERO,
            node.refusal(),
            false,
            1,
            List.of(),
            List.of(),
            Map.of(),
            List.of(replica),
            Optional.empty(),
            node.joined(),
            node.lost(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            node.failures(),
            3,
            Map.of());
    return new NodeReport(
        Optional.of(id(node.number())),
        new NodeAddress("h" + node.number(), 1),
        Optional.of(state),
        Optional.empty());
  }

  private static Optional<String> obstacle(Node... others) {
    return obstacle(Stream.of(others).map(RebuildSafetyTest::report));
  }

  private static Optional<String> obstacle(Stream<NodeReport> others) {
    return RebuildSafety.obstacle(
        id(3), Map.of(REGION, COMMITTED), new ClusterStatus(others.toList()));
  }

  private static Node changed(
      long applied,
      Optional<String> refusal,
      List<String> failures,
      Map<GroupId, RegionEpoch> lost) {
    Node well = Node.well(2, false);
    return new Node(
        2,
        false,
        applied,
        refusal,
        failures,
        lost,
        well.joined(),
        well.lostMembers(),
        well.bodies(),
        well.problem());
  }

  @Test
  void itIsSafeWithAMajorityThatIsWell() {
    assertThat(obstacle(Node.well(1, true), Node.well(2, false))).isEmpty();
  }

  /** Its own report, and one of a node that did not respond, say nothing. */
  @Test
  void aMajorityElsewhereIsNeeded() {
    assertThat(obstacle(Node.well(1, true), Node.well(3, false)))
        .contains("region 1 has no majority that is well without this node");
    assertThat(obstacle(Node.well(2, false), Node.well(3, true)))
        .contains("no other node serves region 1");
    assertThat(obstacle(Stream.of(report(Node.well(1, true), 2)))).as("of two members").isPresent();
    assertThat(obstacle(Stream.of(1, 2).map(number -> report(Node.well(number, number == 1), 5))))
        .as("two of five")
        .isPresent();
    assertThat(
            obstacle(Stream.of(1, 2, 4).map(number -> report(Node.well(number, number == 1), 5))))
        .as("three of five")
        .isEmpty();
    assertThat(obstacle(Stream.of())).isPresent();
  }

  @Test
  void aReplicaThatIsNotWellDoesNotCount() {
    Node leader = Node.well(1, true);
    Map<GroupId, RegionEpoch> none = Map.of();
    assertThat(obstacle(leader, changed(COMMITTED - 1, Optional.empty(), List.of(), none)))
        .as("behind")
        .isPresent();
    assertThat(obstacle(leader, changed(COMMITTED, Optional.of("full"), List.of(), none)))
        .as("refuses writes")
        .isPresent();
    assertThat(obstacle(leader, changed(COMMITTED, Optional.empty(), List.of("damaged"), none)))
        .as("damaged")
        .isPresent();
    assertThat(obstacle(leader, joined(NodeState.JoinState.FOUNDING, Set.of()))).isPresent();
    assertThat(obstacle(well(1, Set.of(id(2))), Node.well(2, false)))
        .as("the leader knows that it has lost entries")
        .isPresent();
    ReplicaState.Bodies degraded = new ReplicaState.Bodies(1, 0, 1, 0, 1);
    assertThat(obstacle(leader, with(Optional.of(degraded), Optional.empty()))).isPresent();
    ReplicaState.Bodies intact = new ReplicaState.Bodies(1, 1, 0, 0, 1);
    assertThat(obstacle(leader, with(Optional.of(intact), Optional.empty()))).isEmpty();
    assertThat(obstacle(leader, with(Optional.empty(), Optional.of("does not follow"))))
        .isPresent();
  }

  private static Node joined(NodeState.JoinState joined, Set<NodeId> lostMembers) {
    return new Node(
        2,
        false,
        COMMITTED,
        Optional.empty(),
        List.of(),
        Map.of(),
        joined,
        lostMembers,
        Optional.empty(),
        Optional.empty());
  }

  private static Node well(int number, Set<NodeId> lostMembers) {
    return new Node(
        number,
        true,
        COMMITTED,
        Optional.empty(),
        List.of(),
        Map.of(),
        NodeState.JoinState.JOINED,
        lostMembers,
        Optional.empty(),
        Optional.empty());
  }

  private static Node with(Optional<ReplicaState.Bodies> bodies, Optional<String> problem) {
    return new Node(
        2,
        false,
        COMMITTED,
        Optional.empty(),
        List.of(),
        Map.of(),
        NodeState.JoinState.JOINED,
        Set.of(),
        bodies,
        problem);
  }

  /** Of any region, also one that is not on this node. */
  @Test
  void onlyOneNodeReceivesItsReplicasAgain() {
    Node rebuilding =
        changed(COMMITTED, Optional.empty(), List.of(), Map.of(new GroupId(9), RegionEpoch.FIRST));
    assertThat(obstacle(Node.well(1, true), rebuilding)).contains("node n2 waits for replicas");
  }
}
